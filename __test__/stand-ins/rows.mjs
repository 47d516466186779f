// The services that the documentation names, one row each: what a service refuses, with what
// status and body, and how it replies. The engine (engine.mjs) serves them, the table of
// docs/models.md is made of them (table.mjs), and tests and recipes run against them.
//
// Nothing here is a guess about quality: a row says what is known of the wire. Every fact has the
// day it was published and where; `wording: 'ours'` marks a message whose exact text no source
// gives, only that the request is refused.
//
//   baseURL    the real one, for the documentation
//   models     names that the stand-in knows; the first is the one of the examples
//   key        false if the service needs no key
//   endpoints  what it serves; anything else is answered by `missing`
//   errors     the shape of its error bodies, by name (errors.mjs)
//   knows      the fields that it takes; another one is refused with `unknown`
//   refuses    conditions (engine.mjs) and what is answered, the first that holds
//   honours    'json_schema', 'json_object' and the field that bounds the output
//   thinking   { field } where the model thinks, and the body field that ends it
//   reply      content ('text' or 'parts'), blank (newlines before the body), usage, message, choice
//   options    what createApiExecutor is given besides provider, baseURL, model and apiKey
//   facts      [day, source, what it says]

const CHAT = 'chat-completions';
const RESPONSES = 'responses';

/** Fields of OpenAI's Chat Completions and Responses that this package can send, and near ones. */
const OPENAI_FIELDS = [
  'model',
  'messages',
  'input',
  'instructions',
  'response_format',
  'text',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'store',
  'stream',
  'temperature',
  'top_p',
  'seed',
  'stop',
  'user',
  'metadata',
  'reasoning',
  'reasoning_effort',
  'service_tier',
  'verbosity',
];

/** OpenAI's own checks, which Azure has as well. */
const OPENAI_REFUSES = [
  {
    when: 'field',
    field: 'max_tokens',
    status: 400,
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: 'invalid_request_error',
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
  {
    when: 'schema-not-strict',
    status: 400,
    message:
      "Invalid schema for response_format 'intent_data': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    type: 'invalid_request_error',
    param: 'response_format',
    code: null,
  },
  {
    when: 'json-without-word',
    status: 400,
    message:
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    type: 'invalid_request_error',
    param: 'messages',
    code: null,
  },
];

const THINKING_OFF = { thinking: { type: 'disabled' } };

export const rows = [
  {
    id: 'openai',
    name: 'OpenAI',
    baseURL: 'https://api.openai.com/v1',
    preset: true,
    models: ['gpt-5-mini'],
    endpoints: [RESPONSES, CHAT],
    errors: 'openai',
    knows: OPENAI_FIELDS,
    refuses: OPENAI_REFUSES,
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    reply: { usage: 'openai' },
    options: {},
    facts: [
      [
        '2026-04-10',
        'https://github.com/koosoli/ESPHomeDesigner/issues/379',
        "gpt-5.4 answers 400 to max_tokens: Unsupported parameter, use 'max_completion_tokens'",
      ],
      [
        '2025-10-06',
        'https://github.com/mkht/PSOpenAI/issues/44',
        "Responses answers 400 to response_format: it has moved to 'text.format'",
      ],
      [
        '2026-08-04',
        'https://github.com/truefoundry/models/pull/2006',
        'Responses is served for every general chat model',
      ],
    ],
  },
  {
    id: 'xai',
    name: 'xAI',
    provider: 'xai',
    baseURL: 'https://api.x.ai/v1',
    preset: true,
    models: ['grok-4.5'],
    endpoints: [RESPONSES, CHAT],
    errors: 'xai',
    knows: OPENAI_FIELDS,
    refuses: [
      {
        when: 'field',
        field: 'instructions',
        status: 400,
        message: 'Argument not supported: instructions',
        wording: 'ours',
      },
    ],
    unknown: { status: 400, message: 'Argument not supported: {field}' },
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    thinking: { field: 'reasoning_content' },
    reply: { usage: 'openai' },
    options: {},
    facts: [
      [
        '2026-02-03',
        'https://github.com/0xPlaygrounds/rig/issues/1344',
        'Responses does not take instructions; a system message does the same',
      ],
      [
        '2026-02-09',
        'https://github.com/openclaw/openclaw/issues/12910',
        'an error is {"code":"400","error":"Argument not supported: include"}',
      ],
    ],
  },
  {
    id: 'azure',
    name: 'Azure OpenAI (v1)',
    nameZh: 'Azure OpenAI（v1）',
    baseURL: 'https://NAME.openai.azure.com/openai/v1',
    models: ['my-deployment'],
    endpoints: [RESPONSES, CHAT],
    errors: 'openai',
    knows: OPENAI_FIELDS,
    refuses: OPENAI_REFUSES,
    noModel: {
      status: 404,
      code: 'DeploymentNotFound',
      message: 'The API deployment for this resource does not exist.',
    },
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    reply: {
      usage: 'openai',
      choice: { content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
      envelope: { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
    },
    options: {},
    facts: [
      [
        '2023-08-07',
        'https://github.com/microsoft/chat-copilot/issues/111',
        'an unknown deployment is 404, DeploymentNotFound',
      ],
      [
        '2024-06-04',
        'https://github.com/openai/openai-python/issues/1465',
        "an older model answers 400 to json_object: 'response_format' of type 'json_object' is not supported with this model",
      ],
    ],
  },
  {
    id: 'mistral',
    name: 'Mistral',
    baseURL: 'https://api.mistral.ai/v1',
    models: ['mistral-small-latest'],
    endpoints: [CHAT],
    errors: 'mistral',
    knows: [
      'model',
      'messages',
      'response_format',
      'max_tokens',
      'stream',
      'temperature',
      'top_p',
      'random_seed',
      'stop',
      'safe_prompt',
      'reasoning_effort',
      'prompt_mode',
    ],
    unknown: { status: 422, type: 'extra_forbidden', message: 'Extra inputs are not permitted' },
    missing: { status: 404, message: 'no Route matched with those values' },
    refuses: [],
    honours: { json_schema: true, json_object: true, limit: 'max_tokens' },
    thinking: { field: 'parts' },
    reply: { usage: 'openai' },
    options: { protocol: CHAT, outputLimit: 'max_tokens', body: { store: null } },
    facts: [
      [
        '2026-04-17',
        'https://github.com/Gitlawb/openclaude/issues/739',
        '422 extra_forbidden at body.store and body.max_completion_tokens',
      ],
      [
        '2025-12-12',
        'https://github.com/editor-code-assistant/eca/issues/231',
        'the error is {"object":"error","message":{"detail":[...]},"type":"invalid_request_error"}',
      ],
      [
        '2026-03-25',
        'https://github.com/HKUDS/nanobot/pull/2494',
        'models that reason answer with content as parts: thinking, then text',
      ],
    ],
  },
  {
    id: 'gemini',
    name: 'Gemini (OpenAI-compatible)',
    nameZh: 'Gemini（OpenAI 兼容端点）',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    models: ['gemini-3-flash-preview'],
    endpoints: [CHAT],
    errors: 'google',
    knows: [
      'model',
      'messages',
      'response_format',
      'max_completion_tokens',
      'max_tokens',
      'stream',
      'temperature',
      'top_p',
      'stop',
      'reasoning_effort',
      'extra_body',
    ],
    unknown: {
      status: 400,
      message: 'Invalid JSON payload received. Unknown name "{field}": Cannot find field.',
    },
    missing: { status: 404, text: '' },
    refuses: [],
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    reply: { usage: 'without-completion' },
    options: { protocol: CHAT, body: { store: null } },
    facts: [
      [
        '2026-05-11',
        'https://github.com/Routstr/routstr-core/issues/505',
        '400 with an array around the error: Unknown name "store": Cannot find field.',
      ],
      [
        '2026-04-12',
        'https://github.com/liliMozi/openhanako/issues/394',
        'store: false is refused as well',
      ],
    ],
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    baseURL: 'https://api.deepseek.com',
    models: ['deepseek-v4-flash', 'deepseek-v4-pro'],
    endpoints: [RESPONSES, CHAT],
    errors: 'openai',
    refuses: [
      {
        when: 'value',
        field: 'response_format.type',
        is: 'json_schema',
        status: 400,
        message: 'This response_format type is unavailable now',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
      {
        when: 'json-without-word',
        status: 400,
        message:
          "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    ],
    honours: { json_object: true, json_schema: true, limit: 'max_tokens' },
    thinking: { field: 'reasoning_content', off: ['thinking.type', 'disabled'] },
    reply: { usage: 'deepseek', blank: true },
    options: {
      protocol: CHAT,
      format: 'json_object',
      outputLimit: 'max_tokens',
      body: THINKING_OFF,
    },
    facts: [
      [
        '2026-08-17',
        'https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916',
        'Chat Completions of deepseek-v4-flash answers 400 to json_schema: This response_format type is unavailable now',
      ],
      [
        '2025-10-30',
        'https://github.com/browserbase/stagehand/issues/1204',
        "json_object needs the word 'json' in the prompt",
      ],
      [
        '2026-08-13',
        'https://github.com/deer-flow/llm-space/pull/139',
        'Responses is served for deepseek-v4-flash and deepseek-v4-pro',
      ],
      [
        '2026-08-19',
        'https://github.com/Stack-Cairn/LiveAgent/issues/553',
        'thinking is on by default',
      ],
      [
        '2025-02-05',
        'https://api-docs.deepseek.com/quick_start/rate_limit',
        'a request that waits has empty lines before its body',
      ],
    ],
  },
  {
    id: 'qwen',
    name: 'Qwen (DashScope)',
    nameZh: '通义千问（百炼 DashScope）',
    baseURL: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    models: ['qwen3-max', 'qwen-flash'],
    endpoints: [CHAT],
    errors: 'qwen',
    refuses: [
      {
        when: 'field',
        field: 'store',
        status: 400,
        message: "<400> InternalError.Algo.InvalidParameter: parameter 'store' is not supported.",
        wording: 'ours',
      },
      {
        when: 'field',
        field: 'max_completion_tokens',
        status: 400,
        message:
          "<400> InternalError.Algo.InvalidParameter: parameter 'max_completion_tokens' is not supported.",
        wording: 'ours',
      },
      {
        when: 'value',
        field: 'response_format.type',
        is: 'json_schema',
        status: 400,
        message:
          "<400> InternalError.Algo.InvalidParameter: 'response_format' of type 'json_schema' is not supported by this model.",
        wording: 'ours',
      },
      {
        when: 'json-without-word',
        status: 400,
        message:
          "<400> InternalError.Algo.InvalidParameter: 'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      },
      {
        when: 'json-while-thinking',
        status: 400,
        message:
          '<400> InternalError.Algo.InvalidParameter: Json mode response is not supported when enable_thinking is true',
      },
    ],
    honours: { json_object: true, limit: 'max_tokens' },
    thinking: { field: 'reasoning_content', off: ['enable_thinking', false] },
    reply: { usage: 'openai' },
    options: {
      protocol: CHAT,
      format: 'json_object',
      outputLimit: 'max_tokens',
      body: { store: null, enable_thinking: false },
    },
    facts: [
      [
        '2025-12-20',
        'https://www.alibabacloud.com/help/tc/model-studio/json-mode',
        'json_object for most models while they do not think, json_schema for some of qwen-plus',
      ],
      [
        '2025-11-05',
        'https://github.com/agno-agi/agno/pull/5317',
        "400 where the messages do not contain the word 'json'",
      ],
      [
        '2025-08-04',
        'https://github.com/presenton/presenton/issues/184',
        '400: Json mode response is not supported when enable_thinking is true',
      ],
      [
        '2026-04-11',
        'https://github.com/apmantza/pi-free/pull/45',
        'neither store nor max_completion_tokens is supported',
      ],
      [
        '2025-09-20',
        'https://github.com/toeverything/AFFiNE/issues/13617',
        'no /responses; a report of 2026-08-05 (esengine/DeepSeek-Reasonix#7200) has it working',
      ],
    ],
  },
  {
    id: 'moonshot',
    name: 'Kimi (Moonshot)',
    nameZh: 'Kimi（月之暗面）',
    baseURL: 'https://api.moonshot.cn/v1',
    models: ['kimi-k2.6', 'kimi-k3'],
    endpoints: [CHAT],
    errors: 'openai',
    missing: {
      status: 404,
      message: 'The requested resource was not found',
      code: 'url.not_found',
    },
    refuses: [
      {
        when: 'other-than',
        field: 'temperature',
        is: [1],
        status: 400,
        message: 'invalid temperature: only 1 is allowed for this model',
        type: 'invalid_request_error',
      },
      {
        when: 'other-than',
        field: 'response_format.type',
        is: ['text', 'json_object', 'json_schema'],
        status: 400,
        message:
          "invalid value for response_format.type: it must be one of 'text', 'json_object', 'json_schema'",
        type: 'invalid_request_error',
      },
    ],
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    thinking: { field: 'reasoning_content', off: ['thinking.type', 'disabled'] },
    reply: { usage: 'moonshot' },
    options: { protocol: CHAT, body: THINKING_OFF },
    facts: [
      [
        '2026-07-17',
        'https://github.com/mnfst/modelparams.dev/pull/125',
        'kimi-k3, probed: text, json_object and json_schema, max_completion_tokens, thinking.type',
      ],
      [
        '2026-04-19',
        'https://github.com/NousResearch/hermes-agent/issues/9125',
        'temperature is 1 or left out: 400 invalid temperature: only 1 is allowed for this model',
      ],
    ],
  },
  {
    id: 'glm',
    name: 'GLM (Zhipu)',
    nameZh: 'GLM（智谱）',
    baseURL: 'https://open.bigmodel.cn/api/paas/v4',
    models: ['glm-5.1'],
    endpoints: [CHAT],
    errors: 'zhipu',
    missing: { status: 404, text: '{"status":404,"error":"Not Found","path":"/v4/responses"}' },
    refuses: [
      {
        when: 'other-than',
        field: 'response_format.type',
        is: ['text', 'json_object'],
        status: 400,
        code: '1214',
        message: 'response_format.type:type must be text or json_object.',
        wording: 'ours',
      },
    ],
    honours: { json_object: true, limit: 'max_tokens' },
    thinking: { field: 'reasoning_content', off: ['thinking.type', 'disabled'] },
    reply: { usage: 'openai', message: { role: 'assistant' } },
    options: {
      protocol: CHAT,
      format: 'json_object',
      outputLimit: 'max_tokens',
      body: THINKING_OFF,
    },
    facts: [
      [
        '2025-11-15',
        'https://docs.z.ai/api-reference/llm/chat-completion',
        'response_format is text or json_object, the bound is max_tokens, thinking.type ends thinking',
      ],
      [
        '2025-11-15',
        'https://github.com/musistudio/claude-code-router/issues/1004',
        'an error is {"error":{"code":"1214","message":"tools[0].type:type cannot be empty."}}',
      ],
      [
        '2026-08-05',
        'https://github.com/esengine/DeepSeek-Reasonix/issues/7200',
        'GLM has no Responses API yet',
      ],
    ],
  },
  {
    id: 'ark',
    name: 'Doubao (Volcano Ark)',
    nameZh: '豆包（火山方舟）',
    baseURL: 'https://ark.cn-beijing.volces.com/api/v3',
    models: ['doubao-seed-2-0-lite-260428', 'doubao-seed-2-0-code-preview-260215'],
    endpoints: [RESPONSES, CHAT],
    errors: 'openai',
    refuses: ['json_object', 'json_schema'].flatMap((kind) =>
      ['response_format.type', 'text.format.type'].map((field) => ({
        when: 'value',
        field,
        is: kind,
        models: ['doubao-seed-2-0-code-preview-260215'],
        status: 400,
        message: `The parameter \`${field}\` specified in the request are not valid: \`${kind}\` is not supported by this model.`,
        type: 'BadRequest',
        param: field,
        code: 'InvalidParameter',
      })),
    ),
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    thinking: { field: 'reasoning_content', off: ['thinking.type', 'disabled'] },
    reply: { usage: 'openai' },
    options: { protocol: CHAT, body: THINKING_OFF },
    facts: [
      [
        '2026-08-29',
        'https://github.com/anomalyco/models.dev/pull/5772',
        '14 of 15 models take a strict json_schema; doubao-seed-2-0-code answers 400 to both forms',
      ],
      [
        '2025-10-20',
        'https://github.com/Usagi-org/ai-goofish-monitor/issues/272',
        'the error has code InvalidParameter, param response_format.type, type BadRequest',
      ],
    ],
  },
  {
    id: 'groq',
    name: 'Groq',
    baseURL: 'https://api.groq.com/openai/v1',
    models: ['llama-3.3-70b-versatile', 'openai/gpt-oss-20b'],
    endpoints: [RESPONSES, CHAT],
    errors: 'openai',
    refuses: [
      ...['response_format.type', 'text.format.type'].map((field) => ({
        when: 'value',
        field,
        is: 'json_schema',
        models: ['llama-3.3-70b-versatile'],
        status: 400,
        message:
          'This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models',
        type: 'invalid_request_error',
      })),
      {
        when: 'json-without-word',
        status: 400,
        message:
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        type: 'invalid_request_error',
      },
      {
        when: 'schema-not-strict',
        status: 400,
        message:
          'invalid JSON schema for response_format: all fields must be required, and additionalProperties must be false',
        type: 'invalid_request_error',
        param: 'response_format',
      },
    ],
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    reply: { usage: 'groq' },
    options: { protocol: CHAT, format: 'json_object' },
    facts: [
      [
        '2026-01-12',
        'https://github.com/ItzCrazyKns/Vane/issues/980',
        'models without structured outputs answer 400 to json_schema',
      ],
      [
        '2024-12-14',
        'https://github.com/fanenr/chatbot/issues/21',
        "store was refused (property 'store' is unsupported) and is taken since 2024-12-25",
      ],
    ],
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    baseURL: 'https://openrouter.ai/api/v1',
    models: ['openai/gpt-5-mini'],
    endpoints: [RESPONSES, CHAT],
    errors: 'openrouter',
    refuses: [],
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    thinking: { field: 'reasoning' },
    reply: {
      usage: 'openrouter',
      blank: true,
      choice: { native_finish_reason: 'completed' },
      envelope: { provider: 'OpenAI' },
    },
    options: { protocol: CHAT },
    facts: [
      [
        '2026-04-10',
        'https://github.com/router-for-me/CLIProxyAPI/issues/2690',
        'a slow answer has blank lines before its JSON',
      ],
    ],
  },
  {
    id: 'vllm',
    name: 'vLLM',
    baseURL: 'http://127.0.0.1:8000/v1',
    models: ['Qwen/Qwen3-8B'],
    key: false,
    endpoints: [RESPONSES, CHAT],
    errors: 'vllm',
    refuses: [],
    honours: { json_schema: true, json_object: true, limit: 'max_completion_tokens' },
    thinking: { field: 'reasoning', off: ['chat_template_kwargs.enable_thinking', false] },
    reply: {
      usage: 'openai',
      message: { tool_calls: [], refusal: null, function_call: null },
      choice: { stop_reason: null, token_ids: null },
    },
    options: { protocol: CHAT, body: { chat_template_kwargs: { enable_thinking: false } } },
    facts: [
      [
        '2024-11-19',
        'https://github.com/vllm-project/vllm/pull/10463',
        'fields that it does not know are ignored',
      ],
      [
        '2025-06-27',
        'https://github.com/vllm-project/guidellm/issues/208',
        'tool_calls is an empty array, stop_reason null',
      ],
      [
        '2025-11-26',
        'https://github.com/ogx-ai/ogx/pull/4244',
        'thinking stands in reasoning, before 0.9 in reasoning_content',
      ],
    ],
  },
  {
    id: 'ollama',
    name: 'Ollama',
    baseURL: 'http://127.0.0.1:11434/v1',
    models: ['gpt-oss:20b'],
    key: false,
    endpoints: [RESPONSES, CHAT],
    errors: 'openai',
    refuses: [],
    // Its Responses take no schema.
    honours: { json_schema: CHAT, json_object: CHAT, limit: 'max_tokens' },
    thinking: { field: 'reasoning' },
    reply: { usage: 'openai' },
    options: { protocol: CHAT, outputLimit: 'max_tokens' },
    facts: [
      [
        '2026-02-26',
        'https://github.com/ollama/ollama/pull/14464',
        'max_completion_tokens is ignored; max_tokens is the bound',
      ],
      [
        '2026-09-21',
        'https://github.com/ollama/ollama/issues/18575',
        '0.34.0 ignores max_tokens as well, by one report',
      ],
      [
        '2026-09-04',
        'https://github.com/ralphgrewe/TradingAgents/issues/168',
        'num_ctx is ignored here: the context is 4096 tokens unless the server is told otherwise',
      ],
    ],
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    baseURL: 'http://127.0.0.1:1234/v1',
    models: ['qwen/qwen3-8b'],
    key: false,
    endpoints: [RESPONSES, CHAT],
    errors: 'lm-studio',
    refuses: [
      {
        when: 'other-than',
        field: 'response_format.type',
        is: ['json_schema', 'text'],
        status: 400,
        message: "'response_format.type' must be 'json_schema' or 'text'",
      },
    ],
    honours: { json_schema: CHAT, limit: 'max_tokens' },
    reply: { usage: 'openai', fence: RESPONSES },
    options: { protocol: CHAT, outputLimit: 'max_tokens' },
    facts: [
      [
        '2026-05-17',
        'https://github.com/whiteguo233/OpenBiliClaw/issues/12',
        "400 to json_object: 'response_format.type' must be 'json_schema' or 'text'",
      ],
      [
        '2026-09-14',
        'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2403',
        '0.4.23: Responses does not heed the format and answers in a code fence',
      ],
      [
        '2026-04-23',
        'https://github.com/rapidaai/voice-ai/pull/108',
        'max_tokens is the bound, not max_completion_tokens',
      ],
    ],
  },
  {
    id: 'llama-cpp',
    name: 'llama.cpp (`llama-server`)',
    nameZh: 'llama.cpp（`llama-server`）',
    baseURL: 'http://127.0.0.1:8080/v1',
    models: ['local'],
    key: false,
    endpoints: [RESPONSES, CHAT],
    errors: 'llama',
    refuses: [
      {
        when: 'pattern-with-class',
        status: 400,
        message: 'Failed to initialize samplers: failed to parse grammar',
        type: 'invalid_request_error',
      },
    ],
    honours: { json_schema: CHAT, json_object: CHAT, limit: 'max_completion_tokens' },
    thinking: { field: 'reasoning_content', off: ['chat_template_kwargs.enable_thinking', false] },
    reply: { usage: 'openai', envelope: { timings: { prompt_n: 1, predicted_n: 1 } } },
    options: { protocol: CHAT, body: { chat_template_kwargs: { enable_thinking: false } } },
    facts: [
      [
        '2026-08-19',
        'https://github.com/lidge-jun/opencodex/issues/2135',
        '400 failed to parse grammar, where a pattern has classes such as \\d',
      ],
    ],
  },
];

/** @param {string} id */
export const rowOf = (id) => {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new Error(`no stand-in ${id}`);
  return row;
};
