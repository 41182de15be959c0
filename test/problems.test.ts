import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './helpers/folder.ts';
import { problemTable } from '../kernel/problem-table.ts';
import { builtin } from '../plugins/builtin.ts';

describe('the codes of problems in the sources', () => {
  const table = problemTable(builtin.plugins);
  const thrown = globSync('{kernel,plugins,providers}/**/*.ts', { cwd: packageDir }).flatMap((file) =>
    [...readFileSync(join(packageDir, file), 'utf8').matchAll(/new PlatformError\(\s*'([^']*)'/g)].map(
      ([, code = '']) => `${file}: ${code}`,
    ),
  );

  it('are declared by the kernel or by a plugin that ships', () => {
    expect(thrown.length).to.be.greaterThan(100);
    expect(thrown.filter((one) => !table.has(one.split(': ')[1] ?? ''))).to.deep.equal([]);
  });
});
