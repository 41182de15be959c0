import { checkName, compilerSettings, example, type Project } from './project.ts';

/** Makes the project of a plugin that counts how runs ended and answers with the counts; with `store`, in a table. */
export function pluginProject(name: string, how: { readonly store?: boolean } = {}): Project {
  checkName(name, /^[a-z]([a-z0-9-]*[a-z0-9])?$/, 'tally');
  const folder = `ext/${name}`;
  const [from, own] = how.store === true ? ['plugin-store', ['store.ts']] : ['plugin', []];
  // No table has a hyphen in its name.
  const words = { tally_counts: `${name.replaceAll('-', '_')}_counts`, tally: name };
  const files = ['index.ts', 'index.test.ts', 'package.json', ...own];
  return {
    files: {
      ...Object.fromEntries(files.map((file) => [`${folder}/${file}`, example(`${from}/${file}`, words)])),
      [`${folder}/tsconfig.json`]: compilerSettings,
    },
    platform: { plugins: { [name]: { from: `./${folder}/index.ts` } } },
    next: [
      `node --test ${folder}/index.test.ts`,
      'then add the member above to data/platform.json, and: orb config check, and start again',
    ].join('\n'),
  };
}
