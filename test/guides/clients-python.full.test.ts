import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../helpers/folder.ts';
import { need } from '../helpers/needs.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { buildClients } from '../plugins/clients/built.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/call/clients-python.md';

/** What is printed under a heading, where no sample shows it. */
const says: Readonly<Record<string, RegExp>> = {
  'Install the client for Python': /^agent_orb \d/m,
  'Type the Orbs of a key': /^\d+$/m,
};

describe('the guide to the Python client', function () {
  this.timeout(180_000);
  let served: Served;
  let walk: Walk;
  before(async function () {
    need(this, 'python');
    buildClients();
    served = createServed();
    walk = beginWalk(guide, { home: served.home, ...(await served.start()) });
    // The packages that the client needs are those of the tests: nothing is fetched.
    const [packages = ''] = globSync(join(packageDir, 'dist/python/lib/python*/site-packages'));
    await walk.type(`export PYTHONPATH=${packages} PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=0`);
    await walk.type(`export PATH=${join(packageDir, 'dist/python/bin')}:$PATH`);
  });
  after(async () => {
    walk?.end();
    await served?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async () => {
      expect(await walk.follow(heading)).to.match(says[heading] ?? /^/);
    });
});
