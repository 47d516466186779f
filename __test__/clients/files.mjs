import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { sessionConfig } from '../support/mcp-session.mjs';

/** A directory of a test's own; all of them go with the run. */
export const directory = () => mkdtempSync(join(inject('scratch'), 'test-'));

/** A configuration file with the instance that the session needs. */
export const configFile = () => {
  const path = join(directory(), 'orders.mjs');
  writeFileSync(path, sessionConfig);
  return path;
};
