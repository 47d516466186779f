// `import` and `require` in one process: one addon, one IntentError.
import { strict as assert } from 'node:assert';
import { Intent, IntentError } from '@devcodex/intent-runtime';
import { codeOf, createIntentBridge, IntentError as Required } from './legacy.cjs';

assert.equal(IntentError, Required);
try {
  new Intent({ timeoutMs: -1 });
  assert.fail();
} catch (error) {
  assert.equal(codeOf(error), 'CONFIG_INVALID');
}
const bridge = createIntentBridge({ instances: { imported: new Intent() } });
bridge.close();
console.log('one IntentError');
