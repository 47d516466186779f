// The code under test for the two tests of this folder: an application's own function around an Intent.

import { Intent, IntentDataError } from '@devcodex/intent-runtime';

export const schema = {
  type: 'object',
  properties: {
    orderId: { type: 'string', description: 'The order number, with its leading zeros.' },
    quantity: { type: 'integer' },
  },
  required: ['orderId'],
};

/** Returns `{ orderId, quantity? }`, or `{ ask }` with the questions to the user. */
export const readOrder = async (executor, input) => {
  const intent = new Intent({ executor, schema });
  try {
    const { data } = await intent.parse({ input });
    return data;
  } catch (error) {
    if (!(error instanceof IntentDataError)) throw error;
    return { ask: error.issues.map(({ message }) => message) };
  } finally {
    await intent.dispose();
  }
};
