import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkName, compilerSettings, example, type Project, shippedTexts } from './project.ts';
import { orbId, parseOrbId } from '../../runtime/contract.ts';

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

/** Makes a policy that denies, with its test. */
export function policyProject(name: string): Project {
  // The routes of policies use three of the names themselves.
  checkName(name, /^(?!(?:format|test|validate)$)[a-z][a-z0-9_]{0,94}(?<!_test)$/, 'no_bulk_mail');
  const words = { 'quiet address': name.replaceAll('_', ' '), quiet_address: name };
  return {
    files: {
      [`policies/${name}.rego`]: example('policy/quiet_address.rego', words),
      [`policies/${name}_test.rego`]: example('policy/quiet_address_test.rego', words),
    },
    next: [`orb policy check policies/${name}.rego`, 'once saved, it takes effect within three seconds'].join('\n'),
  };
}

/**
 * Copies the shipped policies into a home without `policies/`: a folder with only a denying file would allow nothing.
 * Returns whether it copied them.
 */
export function shipPolicies(home: string): boolean {
  const folder = join(home, 'policies');
  if (existsSync(folder)) return false;
  const files = shippedTexts('policies');
  // The folder is moved in as a whole, so that a server that watches it never sees half of it.
  const temporary = mkdtempSync(join(home, '.policies-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(temporary, path)), { recursive: true });
      writeFileSync(join(temporary, path), text);
    }
    renameSync(join(temporary, 'policies'), folder);
    rmSync(temporary, { recursive: true });
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return true;
}
