// The documentation as a site, in a real browser where there is one.

import { expect, it } from 'vitest';
import { checkSite, obstacle } from '../scripts/check-site.mjs';

const reason = obstacle();
if (reason !== undefined) console.log(`The site is not checked: ${reason}.`);

it.skipIf(reason !== undefined)(
  'has no broken link, both languages, search, dark mode and a silent console',
  { timeout: 300_000 },
  async () => {
    const { faults, pages } = await checkSite();
    expect(faults).toEqual([]);
    expect(pages).toBeGreaterThan(30);
  },
);
