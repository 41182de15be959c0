import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';

// Prints each module that the process loads.
const listing = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => (console.error('loads', url), next(url, context)) });
`)}`;

const heavy = [
  ['the compiler of schemas', 'node_modules/ajv/'],
  ['the checks of a log', 'plugins/receipts/fsck/fsck.ts'],
  ['the conformance suite', 'plugins/kit/conformance/'],
  ['the examinations of a server', 'plugins/operate/doctor/server.ts'],
  ['the verifier of evidence', 'plugins/audit/verify.ts'],
] as const;

describe('a start of the program', () => {
  let loaded = '';
  before(() => {
    const args = ['--import', listing, join(packageDir, 'kernel/orb.js'), '--version'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    loaded = stderr;
  });

  it('loads what all commands need', () => {
    expect(loaded).to.include('/plugins/builtin.ts').and.to.include('/plugins/receipts/commands/fsck.ts');
  });

  for (const [what, path] of heavy)
    it(`does not load ${what}`, () => {
      expect(loaded).not.to.include(`/${path}`);
    });
});
