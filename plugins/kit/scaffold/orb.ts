import { orbId, parseOrbId } from '../../../kernel/index.ts';
import { checkName, example, type Project } from './project.ts';

const exampleId = 'weather.today@1.0.0';

/** Makes the manifest of an Orb `<namespace>.<name>`, version 1.0.0 unless the name contains another. */
export function orbProject(name: string): Project {
  const id = name.includes('@') ? name : `${name}@1.0.0`;
  checkName(id, new RegExp(orbId.pattern), 'weather.today');
  const { namespace } = parseOrbId(id);
  const capability = namespace.split('.').at(-1)?.replaceAll('_', '-') ?? '';
  const words = { [exampleId]: id, '"weather"': JSON.stringify(capability) };
  return {
    files: {
      [`data/orbs/${id}.json`]: example(`orb/${exampleId}.json`, words),
      [`data/orbs/${id}.test.mjs`]: example(`orb/${exampleId}.test.mjs`, words),
    },
    next: [
      `node --test data/orbs/${id}.test.mjs`,
      'orb config check',
      `then a provider for it: orb new provider ${capability}/NAME`,
    ].join('\n'),
  };
}
