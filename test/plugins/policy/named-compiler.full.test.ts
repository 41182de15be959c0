import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedProgram } from '../../helpers/program.ts';
import { packageDir } from '../../helpers/folder.ts';
import { unusable } from '../../../plugins/policy/toolchain/source.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { compilerOrSkip } from './compiler.ts';

describe('the file that ORB_POLICY_COMPILER names', () => {
  let served: Served;
  before(() => {
    served = createServed();
    writeFileSync(join(served.home, 'text.wasm'), 'not a program');
    writeFileSync(join(served.home, 'text.wasm.br'), 'not compressed');
    mkdirSync(join(served.home, 'folder.wasm'));
    copyFileSync(join(packageDir, 'plugins/policy/shipped/policies.wasm'), join(served.home, 'other.wasm'));
  });
  after(() => served.remove());

  const rows: readonly [string, string, RegExp][] = [
    ['is not there', 'nowhere.wasm', /cannot be read \(ENOENT\)/],
    ['is a folder', 'folder.wasm', /cannot be read \(EISDIR\)/],
    ['is no program', 'text.wasm', /not a WebAssembly module/],
    ['is not compressed as its name says', 'text.wasm.br', /not a WebAssembly module/],
    ['is another program', 'other.wasm', /does not export _initialize, alloc/],
  ];
  for (const [name, file, why] of rows) {
    it(`and that ${name} ends the start with 78, says why and how to get a good one`, () => {
      const env = { PATH: process.env['PATH'] ?? '', ORB_POLICY_COMPILER: join(served.home, file) };
      const args = [shippedProgram, 'serve'];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: served.home, env, encoding: 'utf8' });
      expect(status, stderr).to.equal(78);
      expect(stderr)
        .to.match(why)
        .and.match(/ORB_POLICY_COMPILER.*unset the variable.*npm run build:compiler/);
    });
  }

  it('and that the build has made is good', async function () {
    expect(await unusable(compilerOrSkip(this))).to.equal(undefined);
  });
});
