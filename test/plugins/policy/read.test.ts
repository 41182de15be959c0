import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaveOutBecause } from '../../helpers/needs.ts';
import { readFolder, restsSince } from '../../../plugins/policy/folder/read.ts';

describe('reading the policies folder', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'orb-read-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const found = async (): Promise<readonly [string, string][]> =>
    (await readFolder(folder)).diagnostics.map(({ file = '', code }) => [file, code]);

  it('takes links within the folder, as mounted configuration has them, and none that leads out', async () => {
    mkdirSync(join(folder, '..data'));
    writeFileSync(join(folder, '..data', 'a.rego'), 'package a\n');
    symlinkSync(join('..data', 'a.rego'), join(folder, 'a.rego'));
    symlinkSync('/etc/passwd', join(folder, 'b.rego'));
    symlinkSync(join(folder, 'nothing'), join(folder, 'c.rego'));
    expect((await readFolder(folder)).files.map(({ path }) => path)).to.deep.equal(['a.rego']);
    expect(await found()).to.deep.equal([
      ['b.rego', 'link_outside'],
      ['c.rego', 'unreadable'],
    ]);
  });

  it('does not pass over a link to a folder: what lies below it may be meant to deny', async () => {
    mkdirSync(join(folder, '..data', 'deny'), { recursive: true });
    writeFileSync(join(folder, '..data', 'deny', 'a.rego'), 'package a\n');
    symlinkSync(join('..data', 'deny'), join(folder, 'deny'));
    symlinkSync('/etc', join(folder, 'etc'));
    expect(await found()).to.deep.equal([
      ['deny', 'not_a_file'],
      ['etc', 'link_outside'],
    ]);
  });

  it('does not pass over a file that cannot be looked at: the folder is unreadable', async () => {
    // The longest path that the system takes, and a name more: the one thing that stops root, too.
    let deep = folder;
    while (deep.length < 3950) deep = join(deep, 'd'.repeat(Math.min(99, 4000 - deep.length)));
    mkdirSync(deep, { recursive: true });
    const here = process.cwd();
    const name = `${'x'.repeat(200)}.rego`;
    process.chdir(deep);
    try {
      writeFileSync(name, 'package a\n');
      const failure = await readFolder(folder).catch((error: unknown) => error);
      expect(failure).to.include({ code: 'ENAMETOOLONG' });
    } finally {
      rmSync(name, { force: true });
      process.chdir(here);
    }
  });

  it('does not wait for a pipe that nobody writes to', async function () {
    if (spawnSync('mkfifo', [join(folder, 'pipe.rego')]).status !== 0)
      leaveOutBecause(this, 'no named pipe can be made here');
    expect(await found()).to.deep.equal([['pipe.rego', 'not_a_file']]);
  });

  it('knows a folder in which nothing was written, added or taken away for a while', async () => {
    const below = join(folder, 'below');
    const file = join(below, 'a.rego');
    mkdirSync(below);
    const changes: Readonly<Record<string, () => void>> = {
      added: () => writeFileSync(file, 'package a\n'),
      written: () => writeFileSync(file, 'package b\n'),
      'taken away': () => rmSync(file),
    };
    for (const [what, change] of Object.entries(changes)) {
      change();
      expect(await restsSince(folder, 60_000), what).to.equal(false);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await restsSince(folder, 20), what).to.equal(true);
    }
    expect(await restsSince(join(folder, 'nothing'), 20)).to.equal(false);
  });
});
