import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir, program } from '../../boot/config.ts';
import { ConfigError } from '../../error.ts';

const orbsReadme = `# Orbs

Manifests of your own Orbs: one file \`<orb_id>.json\` each. \`orb new orb weather.today\` makes one with its test. The Orbs that ship
with the program need no file here; a file of the same name replaces the shipped one.
`;

/**
 * Lists the files of a new home by their path below it: settings with comments, the shipped policies, a place for Orbs.
 * Throws ConfigError when a file of the program is not the shipped one.
 */
export function homeFiles(): Readonly<Record<string, string>> {
  const policies = shippedPolicies();
  const settings = shippedTexts('data', ['platform.example.json'])['data/platform.example.json'] ?? '';
  return {
    '.gitignore': 'data/state/\n',
    'data/platform.json': settings,
    'data/orbs/README.md': orbsReadme,
    ...policies,
  };
}

/** Reads the shipped policies, by their path below a home. Throws ConfigError when one is not the shipped one. */
export function shippedPolicies(): Readonly<Record<string, string>> {
  return shippedTexts('policies', [...program.shipped('policies').keys()]);
}

function shippedTexts(folder: 'data' | 'policies', names: readonly string[]): Readonly<Record<string, string>> {
  const wrong = program.faultsOf(folder, names);
  if (wrong.length > 0) throw new ConfigError(wrong);
  return Object.fromEntries(
    names.map((name) => [`${folder}/${name}`, readFileSync(join(packageDir, folder, name), 'utf8')]),
  );
}
