import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageDir } from './helpers/folder.ts';

/** How many names an author of plugins may meet; may only fall. */
const most = 158;

const textOf = (file: string): string => readFileSync(join(packageDir, file), 'utf8');
const namesIn = (list = ''): string[] =>
  list.split(',').flatMap((name) =>
    name.trim() === ''
      ? []
      : name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
  );

/** The names that a surface of the kernel exports. */
const exportsOf = (surface: string): string[] =>
  [...textOf(`kernel/${surface}.ts`).matchAll(/^export(?: type)? \{([^}]*)\}/gm)].flatMap(([, list]) => namesIn(list));

const importers = globSync('{plugins,providers}/**/*.{ts,tsx}', { cwd: packageDir });

/** The names that plugins and providers import of a surface. */
function importedOf(surface: string): ReadonlySet<string> {
  const path = `kernel/${surface}.ts`;
  const all = importers.flatMap((file) =>
    [...textOf(file).matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm)].flatMap(([, list, from = '']) =>
      join(dirname(file), from) === path ? namesIn(list) : [],
    ),
  );
  return new Set(all);
}

describe('the surfaces of the kernel', () => {
  for (const surface of ['adapter', 'index', 'maintenance', 'outbound', 'runner'])
    it(`${surface}.ts exports only what a plugin or a provider imports of it`, () => {
      const used = importedOf(surface);
      expect(used.size).to.be.greaterThan(10);
      expect(exportsOf(surface).filter((name) => !used.has(name))).to.deep.equal([]);
    });

  it(`index.ts exports at most ${most} names`, () => {
    expect(exportsOf('index').length).to.be.at.most(most);
  });
});
