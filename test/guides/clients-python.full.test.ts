import { globSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { serve, testGuide } from './follow.ts';

testGuide('the guide to the Python client', {
  guide: 'plugins/docs/pages/call/clients-python.md',
  async begin() {
    // The packages that the client needs are those of the tests: nothing is fetched.
    const [packages = ''] = globSync(join(packageDir, 'dist/python/lib/python*/site-packages'));
    const path = `${join(packageDir, 'dist/python/bin')}:$PATH`;
    const typed = `export PYTHONPATH=${packages} PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=0 PATH=${path}`;
    return { ...(await serve()), typed };
  },
  says: { 'Install the client for Python': /^agent_orb \d/m, 'Type the Orbs of a key': /^\d+$/m },
  needsPython: true,
});
