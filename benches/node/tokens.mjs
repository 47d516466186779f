// `node benches/node/tokens.mjs`: counts the input and output tokens (o200k) of a recognition, by stage,
// number of fields, language and form of proof. Every counted answer was accepted.

import { Intent } from '@devcodex/intent-runtime';
import { serveIntentMcp } from '@devcodex/intent-runtime/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { coreAnswer, dataAnswer, LANGUAGES, schemaOf } from './token-cases.mjs';

const tokens = (text) => encode(text).length;

/** Returns the requests and answers of one recognition. */
export const measure = async (language, count, form, wrongFirst = false) => {
  const words = LANGUAGES[language];
  const values = words.values.slice(0, count);
  const core = JSON.stringify(coreAnswer(words, form));
  const data = JSON.stringify(dataAnswer(values, words.said, form));
  const wrong = data.replace(JSON.stringify(values[0][2]), '"999999"');
  const answers = wrongFirst ? [core, wrong, data] : [core, data];
  const requests = [];
  const intent = new Intent({
    language,
    schema: schemaOf(values),
    proof: form,
    executor: {
      id: 'counted',
      async generate(request) {
        requests.push(request);
        return { outcome: 'complete', text: answers[requests.length - 1] };
      },
    },
  });
  await intent.parse({ input: words.input });
  await intent.dispose();
  return requests.map((request, i) => ({
    stage: request.stage,
    instructions: tokens(request.instructions),
    payload: tokens(request.payload),
    schema: tokens(JSON.stringify(request.outputSchema)),
    answer: tokens(answers[i]),
  }));
};

/** Returns the share of a data request that is the same in every request of an instance. */
const fixedShare = async (language, form) => {
  const words = LANGUAGES[language];
  const texts = [];
  for (const more of ['', 'Please. ']) {
    const intent = new Intent({
      language,
      schema: schemaOf(words.values),
      proof: form,
      executor: {
        id: 'counted',
        async generate({ stage, instructions, payload }) {
          if (stage === 'data') texts.push(instructions + payload);
          const answer =
            stage === 'core' ? coreAnswer(words, form) : dataAnswer(words.values, words.said, form);
          return { outcome: 'complete', text: JSON.stringify(answer) };
        },
      },
    });
    await intent.parse({ input: more + words.input });
    await intent.dispose();
  }
  const [left, right] = texts;
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  return Math.round((100 * tokens(left.slice(0, same))) / tokens(left));
};

/** Counts the output schema of the data stage for a number of fields without descriptions, and the fields alone. */
const wide = async (count, form) => {
  const names = Array.from({ length: count }, (_, i) => `field${i}`);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names.slice(0, 1),
    additionalProperties: false,
  };
  let sent;
  const executor = {
    id: 'counted',
    async generate({ stage, outputSchema }) {
      if (stage === 'core') {
        const text = JSON.stringify(coreAnswer(LANGUAGES.en, form));
        return { outcome: 'complete', text };
      }
      sent = outputSchema;
      return { outcome: 'refusal' };
    },
  };
  const intent = new Intent({ schema, proof: form, executor });
  await intent.parse({ input: LANGUAGES.en.input }).catch(() => {});
  await intent.dispose();
  return { sent: tokens(JSON.stringify(sent)), own: tokens(JSON.stringify(schema)) };
};

/** Counts the texts that an MCP host includes in every conversation. */
const carried = async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await serveIntentMcp({ instances: { default: new Intent() }, transport: ours });
  const client = new Client({ name: 'counted', version: '1' });
  await client.connect(theirs);
  const list = tokens(JSON.stringify(await client.listTools()));
  const told = tokens(client.getInstructions());
  await client.close();
  return { list, told };
};

if (import.meta.url === `file://${process.argv[1]}`) {
  console.log('| language | fields | proof | stage | instructions | payload | schema | answer |');
  console.log('|---|---:|---|---|---:|---:|---:|---:|');
  for (const language of Object.keys(LANGUAGES))
    for (const count of [1, 10])
      for (const form of ['full', 'brief'])
        for (const { stage, instructions, payload, schema, answer } of await measure(
          language,
          count,
          form,
        ))
          console.log(
            `| ${language} | ${count} | ${form} | ${stage} | ${instructions} | ${payload} | ${schema} | ${answer} |`,
          );
  for (const form of ['full', 'brief']) {
    const [, first, repair] = await measure('en', 10, form, true);
    const more = repair.payload - first.payload;
    console.log(
      `\nA repair of ten fields, ${form}: ${more} tokens in and ${repair.answer} out more.`,
    );
    console.log(
      `Equal in every data request of an instance, ${form}: ${await fixedShare('en', form)} %.`,
    );
  }
  for (const language of Object.keys(LANGUAGES)) {
    const bare = Object.fromEntries(
      LANGUAGES[language].values.map(([name, , value]) => [name, value]),
    );
    console.log(`Bare data of ten fields, ${language}: ${tokens(JSON.stringify(bare))} tokens.`);
  }
  for (const form of ['full', 'brief'])
    for (const count of [1, 64, 256]) {
      const { sent, own } = await wide(count, form);
      console.log(`Output schema of ${count} fields, ${form}: ${sent} tokens; the fields: ${own}.`);
    }
  const { list, told } = await carried();
  console.log(`\nMCP: tools/list ${list} tokens, instructions ${told}.`);
}
