// The schemas of the cases with fields.

const text = (description, more) => ({ type: 'string', description, ...more });
const object = (properties, required) => ({
  type: 'object',
  properties,
  ...(required && { required }),
});

export const schemas = {
  order: object({ orderId: text('The order number, as it is written, with leading zeros.') }, [
    'orderId',
  ]),
  refund: object(
    {
      orderId: text('The order number, as it is written.'),
      amount: { type: 'number', exclusiveMinimum: 0, description: 'The amount to be paid back.' },
      reason: { type: 'string', enum: ['damaged', 'late', 'wrong_item', 'other'] },
    },
    ['orderId'],
  ),
  meeting: object(
    {
      title: { type: 'string' },
      date: {
        type: 'string',
        format: 'date',
        description: 'The day of the meeting, a calendar date.',
      },
      attendees: { type: 'array', items: { type: 'string' }, minItems: 1 },
      minutes: { type: 'integer', minimum: 15, maximum: 240 },
    },
    ['date'],
  ),
  shipping: object(
    {
      recipient: text('Who receives the parcel.'),
      address: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          street: { type: 'string' },
          postcode: { type: 'string', pattern: '^[0-9]{5,6}$' },
        },
        required: ['city', 'street'],
        additionalProperties: false,
      },
      express: { type: 'boolean' },
    },
    ['recipient', 'address'],
  ),
  purchase: object(
    {
      items: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
          required: ['sku', 'quantity'],
          additionalProperties: false,
        },
      },
      budget: { type: 'number', description: 'The most that everything together may cost.' },
    },
    ['items'],
  ),
  transfer: object(
    {
      payee: { type: 'string' },
      amount: { type: 'number', exclusiveMinimum: 0 },
      currency: { type: 'string', enum: ['CNY', 'USD', 'EUR'] },
    },
    ['payee', 'amount'],
  ),
  trip: object({
    from: { type: 'string' },
    to: { type: 'string' },
    roundTrip: { type: 'boolean' },
    returnDate: text('Needed where roundTrip is true, and for nothing else.', { format: 'date' }),
  }),
  contact: object({
    phone: text('A mobile number, digits alone.', { pattern: '^[0-9]{7,15}$' }),
    email: { type: 'string', format: 'email' },
  }),
  password: object(
    {
      name: text('A user name that is no real name of a person.'),
      seats: { type: 'integer', minimum: 1, maximum: 50, description: 'Seats, at most 50.' },
    },
    ['seats'],
  ),
};
