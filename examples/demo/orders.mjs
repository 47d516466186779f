// The schema behind `--schema orders`.

export const orders = /** @type {const} */ ({
  type: 'object',
  properties: {
    orderId: {
      type: 'string',
      description:
        'Number of the order that the request is about; keep leading zeros. 当前请求中的订单编号，保留前导零。',
    },
    quantity: {
      type: 'integer',
      minimum: 1,
      description: 'How many pieces the request names. 请求中的件数。',
    },
    priority: {
      enum: ['urgent', 'normal'],
      description: 'Only where the request speaks of it. 仅在请求提到时。',
    },
  },
  required: ['orderId'],
  additionalProperties: false,
});
