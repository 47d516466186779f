// Where cargo leaves the addon's library.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const NAMES = { win32: 'intent_runtime.dll', darwin: 'libintent_runtime.dylib' };

/** The library that a build with this profile makes. */
export const builtLibrary = (profile) =>
  join(
    process.env.CARGO_TARGET_DIR ?? join(root, 'target'),
    profile === 'dev' ? 'debug' : profile,
    NAMES[process.platform] ?? 'libintent_runtime.so',
  );
