// The inputs for the token tables: fields with descriptions, and answers as a model would write them.

const ENGLISH = {
  input:
    'Order 000123: ship 3 of SKU-77 to Bob Smith, 1 Main Street, Springfield, 62701, bob@example.com, by courier, colour red, coupon SAVE10.',
  values: [
    ['orderId', 'The order number; keep leading zeros.', '000123'],
    ['quantity', 'How many pieces.', 3],
    ['sku', 'The article number.', 'SKU-77'],
    ['name', 'Who receives it.', 'Bob Smith'],
    ['street', 'Street and number.', '1 Main Street'],
    ['city', 'The city.', 'Springfield'],
    ['zip', 'The postal code.', '62701'],
    ['email', 'Where to send the receipt.', 'bob@example.com'],
    ['method', 'How it is shipped.', 'courier'],
    ['coupon', 'A coupon, where one is given.', 'SAVE10'],
  ],
  said: 'The input states it.',
  normalized: 'Ship 3 of SKU-77 of order 000123 to Bob Smith.',
  target: 'order 000123',
  short: 'Query order 000123.',
};

const CHINESE = {
  input:
    '订单000123：SKU-77 发 3 件给张三，地址上海市南京路1号，邮编200001，邮箱zhang@example.com，走快递，优惠码SAVE10。',
  values: [
    ['orderId', '订单编号，保留前导零。', '000123'],
    ['quantity', '件数。', 3],
    ['sku', '货号。', 'SKU-77'],
    ['name', '收件人。', '张三'],
    ['street', '街道和门牌号。', '南京路1号'],
    ['city', '城市。', '上海市'],
    ['zip', '邮政编码。', '200001'],
    ['email', '接收回执的邮箱。', 'zhang@example.com'],
    ['method', '配送方式。', '快递'],
    ['coupon', '优惠码，没有则不填。', 'SAVE10'],
  ],
  said: '输入中写明。',
  normalized: '将订单000123的 SKU-77 发 3 件给张三。',
  target: '订单000123',
  short: '查询订单000123。',
};

export const LANGUAGES = { en: ENGLISH, 'zh-CN': CHINESE };

export const schemaOf = (values) => ({
  type: 'object',
  properties: Object.fromEntries(
    values.map(([name, description, value]) => [
      name,
      { type: typeof value === 'number' ? 'integer' : 'string', description },
    ]),
  ),
  required: [values[0][0]],
  additionalProperties: false,
});

export const coreAnswer = ({ short, target }, form) => ({
  normalizedInput: short,
  primaryIntent: short.replace(/[.。]$/, ''),
  requirements: [],
  prohibitions: [],
  intents: [
    {
      action: 'query',
      target,
      requirements: [],
      blockers:
        form === 'brief'
          ? null
          : {
              clarificationReason: null,
              questions: [],
              confirmationReason: null,
              conditionReason: null,
            },
    },
  ],
});

export const dataAnswer = (values, said, form) => {
  const data = Object.fromEntries(values.map(([name, , value]) => [name, value]));
  if (form === 'brief') return { data, quotes: [], notes: [] };
  const sources = (value) => [{ sourceId: 'input', quote: String(value) }];
  return {
    data,
    evidence: values.map(([name, , value]) => ({
      path: `/data/${name}`,
      mode: typeof value === 'string' ? 'exact' : 'semantic',
      sources: sources(value),
    })),
    descriptionChecks: values.map(([name, , value]) => ({
      path: `/data/${name}`,
      verdict: 'satisfied',
      explanation: said,
      sources: sources(value),
    })),
    fieldResults: values.map(([name]) => ({
      path: `/data/${name}`,
      status: 'extracted',
      explanation: said,
    })),
    issues: [],
  };
};
