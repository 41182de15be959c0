import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { leaveOutBecause } from './helpers/needs.ts';

const list = join(packageDir, 'data/shipped.json');

describe('data/shipped.json', () => {
  it('names the files below data/ and policies/ that the commit holds, with their digests', function () {
    // A copy without its history cannot say what belongs to it.
    if (!existsSync(join(packageDir, '.git'))) leaveOutBecause(this, 'this copy has no history');
    const words = ['ls-files', '-z', 'data', 'policies'];
    const paths = execFileSync('git', words, { cwd: packageDir, encoding: 'utf8' }).split('\0').slice(0, -1);
    const entries = paths
      .filter((path) => path !== 'data/shipped.json')
      .sort()
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(packageDir, path)))
          .digest('hex'),
      ]);
    expect(entries.length).to.be.greaterThan(10);
    const text = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(list, text);
    expect(readFileSync(list, 'utf8'), 'UPDATE_GOLDEN=1 writes it').to.equal(text);
  });

  it('leaves out the settings of an operator, which git ignores', () => {
    expect(readFileSync(join(packageDir, '.gitignore'), 'utf8').split('\n')).to.include('data/platform.json');
    expect(JSON.parse(readFileSync(list, 'utf8'))).to.not.have.property('data/platform.json');
  });
});
