import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { defineCommand, type Command, type CommandCall } from '../../../kernel/index.ts';
import { placeAuthorPackage, writeProject, type Project } from './project.ts';
import { orbProject, pluginProject, policyProject, shipPolicies } from './projects.ts';
import { providerProject } from './provider.ts';
import { catalogOf, type Orb } from '../../runtime/contract.ts';

interface Kind {
  readonly name: string;
  readonly summary: string;
  readonly argument: string;
  readonly options?: Command['options'];
  project(name: string, home: string, options: CommandCall['options']): Project;
  /** Prepares the other needs of the project, such as types; returns lines that describe the result. */
  prepare?(home: string): readonly string[];
}

const kinds: readonly Kind[] = [
  {
    name: 'provider',
    summary: 'create an adapter with its tests: ext/<capability>-<adapter>',
    argument: '<capability>/<adapter>, for example email/acme',
    options: [{ flag: '--capability <name>', description: 'the capability, when the name does not begin with it' }],
    project(name, home, { capability }) {
      const whole = typeof capability === 'string' ? `${capability}/${name}` : name;
      return providerProject(whole, orbOf(whole.split('/')[0], home));
    },
    prepare: (home) => [placeAuthorPackage(home)],
  },
  {
    name: 'plugin',
    summary: 'create a plugin with its test: ext/<name>',
    argument: 'such as tally',
    options: [{ flag: '--store', description: 'store the counts in a table, with a migration, a write and a read' }],
    project: (name, _, { store }) => pluginProject(name, { store: store === true }),
    prepare: (home) => [placeAuthorPackage(home)],
  },
  {
    name: 'orb',
    summary: 'create the manifest of an Orb with its test: data/orbs',
    argument: '<namespace>.<name>, such as weather.today',
    project: orbProject,
  },
  {
    name: 'policy',
    summary: 'create a policy with its test: policies',
    argument: 'such as no_bulk_mail',
    project: policyProject,
    prepare: (home) => (shipPolicies(home) ? ['policies: copies of the shipped ones'] : []),
  },
];

/** Commands `orb new …`: scaffolds that pass their own tests; nothing that exists is overwritten. */
export const newCommands: readonly Command[] = kinds.map((kind) =>
  defineCommand({
    path: `new ${kind.name}`,
    summary: kind.summary,
    args: [{ name: 'name', description: kind.argument }],
    options: [
      { flag: '--dir <folder>', description: 'create it there instead of in ORB_HOME' },
      ...(kind.options ?? []),
    ],
    run: async (call) => make(kind, call),
  }),
);

function make(kind: Kind, { args: [name = ''], options, env, installation, print }: CommandCall): void {
  const { dir } = options;
  const home = typeof dir === 'string' ? resolve(dir) : installation.home;
  const project = kind.project(name, home, options);
  mkdirSync(home, { recursive: true });
  const prepared = kind.prepare?.(home) ?? [];
  const files = writeProject(home, project);
  const { platform, next } = project;
  const shown = platform === undefined ? [] : ['', 'For data/platform.json:', JSON.stringify(platform, null, 2)];
  print(
    { home, files, ...(platform === undefined ? {} : { platform }) },
    [...prepared, ...files, ...shown, '', 'Next:', next.replaceAll('node --test', testCommand(env))].join('\n'),
  );
}

/**
 * Returns the command that runs a test: by the shell's `node`, or by this program's own when the shell's is too old.
 */
function testCommand({ PATH = '' }: CommandCall['env']): string {
  // npm and npx put the pinned runtime first in PATH; the shell does not.
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes(join('node_modules', '.bin')));
  const env = { PATH: folders.join(delimiter) };
  const { stdout } = spawnSync('node', ['--version'], { env, encoding: 'utf8' });
  const [major = 0, minor = 0] = String(stdout).slice(1).split('.').map(Number);
  const fits = major > 22 || (major === 22 && minor >= 19);
  return fits || isSea() ? 'node --test' : `'${process.execPath}' --test`;
}

/** Finds an Orb that needs the capability, shipped ones included; faults in manifests of others are ignored. */
function orbOf(capability: string | undefined, home: string): Orb | undefined {
  return [...catalogOf(home).orbs.values()].find(({ manifest }) => manifest.capability === capability);
}
