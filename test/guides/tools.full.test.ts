import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { pythonCommand } from '../helpers/python.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';
import { need } from '../helpers/needs.ts';

const guide = 'plugins/docs/pages/agents/mcp.md';
const inPython = 'Call tools from Python';

describe('the guide for who gives tools to an agent', function () {
  this.timeout(120_000);
  let served: Served;
  let walk: Walk;
  before(async () => {
    served = createServed({ providers: { outbox: { adapter: 'email/outbox' }, echo: { adapter: 'echo/local' } } });
    // The packages that a reader installs.
    symlinkSync(join(packageDir, 'node_modules'), join(served.home, 'node_modules'));
    const at = await served.start();
    walk = beginWalk(guide, { home: served.home, ...at });
    await walk.type(`export PATH="${dirname(pythonCommand('python'))}:$PATH"`);
  });
  after(async () => {
    walk?.end();
    await served?.remove();
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async function () {
      if (heading === inPython) need(this, 'python');
      await walk.follow(heading);
    });
});
