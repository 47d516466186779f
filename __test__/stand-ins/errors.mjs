// The shapes of error bodies, by the name that a row gives. Each takes what a refusal says:
// `{ status, message, type?, code?, param?, fields? }`, where `fields` are the names of fields that
// the service does not know, with the values that they had.

const openai = ({ message, type = 'invalid_request_error', param = null, code = null }) => ({
  error: { message, type, param, code },
});

const google = ({ status, message, fields }) => {
  const descriptions = (fields ?? []).map(([field]) => message.replace('{field}', field));
  const text = descriptions.length > 0 ? descriptions.join('\n') : message;
  const violations = (descriptions.length > 0 ? descriptions : [text]).map((description) => ({
    description,
  }));
  return [
    {
      error: {
        code: status,
        message: text,
        status: status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
        ],
      },
    },
  ];
};

const mistral = ({ message, type, fields }) => {
  if (fields === undefined) return { message };
  const detail = fields.map(([field, input]) => ({
    type,
    loc: ['body', field],
    msg: message,
    input,
  }));
  return {
    object: 'error',
    message: { detail },
    type: 'invalid_request_error',
    param: null,
    code: null,
  };
};

export const errors = {
  openai,
  google,
  mistral,
  xai: ({ message }) => ({ code: 'Client specified an invalid argument', error: message }),
  qwen: ({ message }) => ({
    error: {
      message,
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_parameter_error',
    },
    id: 'chatcmpl-1',
    request_id: '07df985b-2ff2-4f7c-a6e7-f022f075133b',
  }),
  zhipu: ({ message, code = '1210' }) => ({ error: { code, message } }),
  openrouter: ({ status, message }) => ({ error: { code: status, message }, user_id: 'user_1' }),
  vllm: ({ status, message, type = 'BadRequestError', param = null }) => ({
    error: { message, type, param, code: status },
  }),
  'lm-studio': ({ message }) => ({ error: message }),
  llama: ({ status, message, type = 'invalid_request_error' }) => ({
    error: { code: status, message, type },
  }),
};
