import { checkName, compilerSettings, example, type Project } from './project.ts';

/** Makes the project of a plugin that counts how runs ended and answers with the counts. */
export function pluginProject(name: string): Project {
  checkName(name, /^[a-z]([a-z0-9-]*[a-z0-9])?$/, 'tally');
  const folder = `ext/${name}`;
  const files = ['index.ts', 'index.test.ts', 'package.json'];
  return {
    files: {
      ...Object.fromEntries(files.map((file) => [`${folder}/${file}`, example(`plugin/${file}`, { tally: name })])),
      [`${folder}/tsconfig.json`]: compilerSettings,
    },
    platform: { plugins: { [name]: { from: `./${folder}/index.ts` } } },
    next: [
      `node --test ${folder}/index.test.ts`,
      'then add the member above to data/platform.json, and: orb config check, and start again',
    ].join('\n'),
  };
}
