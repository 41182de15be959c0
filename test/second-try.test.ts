import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import type { Results } from './runner/results.ts';
import { afterSecondTry, filesToTry } from './runner/second-try.ts';

const failing = (...files: readonly string[]): Results => ({
  passed: 7,
  failures: files.map((file) => ({ file, title: `of ${file}`, error: 'Error' })),
  pending: ['left out'],
});

describe('the second try of files that failed', () => {
  it('is for three files at most, and for none when one of the failures has no file', () => {
    expect(filesToTry([failing('a.test.ts', 'a.test.ts'), failing('b.test.ts')])).to.deep.equal([
      ...['a.test.ts', 'b.test.ts'],
    ]);
    expect(filesToTry([failing('a.test.ts', 'b.test.ts', 'c.test.ts')])).to.have.length(3);
    expect(filesToTry([failing('a.test.ts', 'b.test.ts'), failing('c.test.ts', 'd.test.ts')])).to.deep.equal([]);
    expect(filesToTry([failing('a.test.ts', '')])).to.deep.equal([]);
  });

  it('leaves the failures of the files that failed again, and what was left out', () => {
    const results = afterSecondTry(failing('a.test.ts', 'b.test.ts', 'a.test.ts'), new Set(['a.test.ts']));
    expect(results).to.deep.equal({ ...failing('b.test.ts'), passed: 9 });
  });

  it('is started by the Node that npm ci installs, as every TypeScript file of .ci/run', () => {
    const started = readFileSync(join(packageDir, '.ci/run'), 'utf8').match(/^\S*node \S+\.ts\b.*$/gm) ?? [];
    expect(started).to.not.be.empty;
    for (const line of started) expect(line).to.match(/^node_modules\/\.bin\/node /);
  });
});
