// Prints the section of CHANGELOG.md for this version.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('../package.json');
const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
const section = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`));
if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`);
