// The envelopes of both protocols, with what each service adds to them.

/** Token counts in the shapes that services have; `input`, `output` and `thought` are tokens. */
const USAGE = {
  openai: ({ input, output, thought }) => ({
    prompt_tokens: input,
    completion_tokens: output + thought,
    total_tokens: input + output + thought,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: thought },
  }),
  deepseek: ({ input, output, thought }) => ({
    prompt_tokens: input,
    completion_tokens: output + thought,
    total_tokens: input + output + thought,
    prompt_cache_hit_tokens: 0,
    prompt_cache_miss_tokens: input,
    completion_tokens_details: { reasoning_tokens: thought },
  }),
  moonshot: ({ input, output, thought }) => ({
    prompt_tokens: input,
    completion_tokens: output + thought,
    total_tokens: input + output + thought,
    cached_tokens: 0,
  }),
  groq: ({ input, output }) => ({
    queue_time: 0.01,
    prompt_tokens: input,
    prompt_time: 0.01,
    completion_tokens: output,
    completion_time: 0.1,
    total_tokens: input + output,
    total_time: 0.11,
  }),
  openrouter: ({ input, output, thought }) => ({
    prompt_tokens: input,
    completion_tokens: output + thought,
    total_tokens: input + output + thought,
    cost: 0.0001,
    is_byok: false,
  }),
  // If the output consists only of reasoning, the token count of the answer is omitted.
  'without-completion': ({ input, output }) => ({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }),
};

const messageOf = (row, text, thought) => {
  const parts = row.thinking?.field === 'parts' || row.reply.content === 'parts';
  const content =
    parts && thought !== undefined
      ? [
          { type: 'thinking', thinking: [{ type: 'text', text: thought }] },
          { type: 'text', text },
        ]
      : text;
  const message = { role: 'assistant', content, ...row.reply.message };
  if (thought !== undefined && !parts) message[row.thinking.field] = thought;
  return message;
};

export const chatReply = (row, { model, text, cut, thought, counts }) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model,
  choices: [
    {
      index: 0,
      message: messageOf(row, text, thought),
      logprobs: null,
      finish_reason: cut ? 'length' : 'stop',
      ...row.reply.choice,
    },
  ],
  usage: USAGE[row.reply.usage](counts),
  ...row.reply.envelope,
});

export const responsesReply = (_row, { model, text, cut, thought, counts }) => {
  const { input, output, thought: reasoning } = counts;
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  const status = cut ? 'incomplete' : 'completed';
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status, content };
  const think = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    content: [{ type: 'reasoning_text', text: thought }],
  };
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    status,
    error: null,
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    model,
    output: thought === undefined ? [message] : [think, message],
    usage: {
      input_tokens: input,
      output_tokens: output + reasoning,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output + reasoning,
    },
  };
};
