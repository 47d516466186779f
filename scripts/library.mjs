// Finds the addon's library that cargo has built.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const NAMES = { win32: 'intent_runtime.dll', darwin: 'libintent_runtime.dylib' };

/** Returns the path of the library of a build with this profile, for this machine or for a named target and its system. */
export const builtLibrary = (profile, { target = '', platform = process.platform } = {}) =>
  join(
    process.env.CARGO_TARGET_DIR ?? join(root, 'target'),
    target,
    profile === 'dev' ? 'debug' : profile,
    NAMES[platform] ?? 'libintent_runtime.so',
  );
