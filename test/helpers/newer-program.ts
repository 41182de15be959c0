import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { version } from '../../kernel/tools/version.ts';
import { executablePath, releaseOf } from '../../plugins/release/build/release.ts';
import { bundleProgram } from '../runner/program.ts';
import { packageDir } from './folder.ts';
import { shippedProgram } from './program.ts';
import type { Served, ServedOptions } from './served.ts';

/** The version of the older program. */
export const olderVersion = version;
/** The version of the newer program. */
export const newerVersion = '99.0.0';

/** What a copy of the program has otherwise: a text of a file. */
export type Change = readonly [file: string, from: string, to: string];

// What a later version does: a column more in the table of runs, and a kind of fact that this one does not know.
const changes: readonly Change[] = [
  ['package.json', `"version": "${version}"`, `"version": "${newerVersion}"`],
  [
    'plugins/runtime/store.ts',
    '  runMarks,\n];',
    '  runMarks,\n  `ALTER TABLE runtime_runs ADD COLUMN region TEXT;`,\n];',
  ],
  [
    'plugins/runtime/store.ts',
    "rowWriter(connection, 'runtime_runs', runColumns)",
    "rowWriter(connection, 'runtime_runs', [...runColumns, 'region'])",
  ],
  ['plugins/runtime/store.ts', 'insertRun(run);', "insertRun({ ...run, region: 'north' });"],
];

const plugin = `
import { defineFact, definePlugin, defineRoute, exactly, timestamp } from 'agent-orb-kit';
const text = { type: 'string', description: 'Text' };
export default definePlugin({
  name: 'watch',
  ids: ['wat'],
  scopes: { 'watches:read': { title: 'See watches' } },
  facts: [defineFact({
    kind: 'watch', subject: ['watch_id'], scopes: ['watches:read'],
    predicate: exactly({ watch_id: text, facts: exactly({ level: text }) }),
  })],
  start: ({ platform, clock, ids }) => ({
    routes: [
      defineRoute({
        method: 'POST', path: '/watches', operationId: 'addWatch', service: 'runtime', scope: 'watches:read',
        summary: 'Watch', response: exactly('Watched', { receipt_id: text }), problems: [],
        handle: async () => {
          const fact = { kind: 'watch', at: timestamp(clock.now()), watch_id: ids('wat'), facts: { level: 'low' } };
          const { receipt_id } = await platform.attest({ fact, operations: () => [] });
          return { receipt_id };
        },
      }),
    ],
  }),
});
`;

/** Programs of nodes that are upgraded one after the other. */
export interface Upgrade {
  /** What runs as the program of a node. */
  programOf(node: string): Pick<ServedOptions, 'program' | 'executable'>;
  /** Gives a node, which is down, the newer program. */
  upgrade(node: string, served: Served): void;
  /** Gives a node, which is down, the older program again. */
  downgrade(node: string, served: Served): void;
  remove(): void;
}

/**
 * Makes a copy of the program with a later version, one more column and one more kind of fact. `executables`: the older
 * program is the executable of the release, and the newer one is an executable, too.
 */
export async function makeUpgrade(kind: 'programs' | 'executables'): Promise<Upgrade> {
  const executable = kind === 'programs' ? undefined : executablePath(releaseOf(packageDir), 'linux-x64');
  const folder = mkdtempSync(join(executable === undefined ? tmpdir() : '/var/tmp', 'orb-newer-'));
  const newer = copyChanged(join(folder, 'newer'), changes);
  const older = join(folder, 'older');
  mkdirSync(older);
  if (executable === undefined)
    writeFileSync(join(older, 'main.mjs'), `await import(${JSON.stringify(pathToFileURL(shippedProgram).href)});`);
  else symlinkSync(executable, join(older, 'orb'));
  const program =
    executable === undefined ? dirname(await bundleProgram(newer, join(newer, 'program'))) : builtExecutable(newer);
  // A program is found by a link of its node: the other one takes its place.
  const point = (node: string, to: string): void => {
    rmSync(join(folder, node), { force: true });
    symlinkSync(to, join(folder, node));
  };
  return {
    programOf(node) {
      point(node, older);
      return executable === undefined
        ? { program: join(folder, node, 'main.mjs') }
        : { executable: join(folder, node, 'orb') };
    },
    upgrade(node, { home }) {
      point(node, program);
      setPlugins(home, (plugins) => ({ ...plugins, watch: { from: 'ext/watch.ts' } }));
      const path = join(home, 'ext/watch.ts');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, plugin);
    },
    downgrade(node, { home }) {
      point(node, older);
      setPlugins(home, ({ watch: _, ...plugins }) => plugins);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Copies the program, and changes texts of the copy; answers its folder. */
export function copyChanged(copy: string, changes: readonly Change[]): string {
  mkdirSync(join(copy, 'dist'), { recursive: true });
  for (const name of ['kernel', 'plugins', 'providers', 'policies', 'data', 'package.json', 'tsconfig.json', 'LICENSE'])
    cpSync(join(packageDir, name), join(copy, name), { recursive: true, filter: (path) => !path.endsWith('/state') });
  symlinkSync(join(packageDir, 'node_modules'), join(copy, 'node_modules'));
  for (const name of readdirSync(join(packageDir, 'dist')).filter((one) => one.startsWith('policy-compiler-')))
    symlinkSync(join(packageDir, 'dist', name), join(copy, 'dist', name));
  for (const [file, from, to] of changes) {
    const text = readFileSync(join(copy, file), 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not have what the copy changes: ${from}`);
    writeFileSync(
      join(copy, file),
      text.replace(from, () => to),
    );
  }
  return copy;
}

/** Builds the executable of a copy; answers its folder. */
function builtExecutable(newer: string): string {
  const build = join(newer, 'plugins/kit/binary/build.ts');
  execFileSync(process.execPath, [build], { cwd: newer, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(newer, 'dist');
}

function setPlugins(home: string, change: (plugins: Readonly<Record<string, unknown>>) => object): void {
  const file = join(home, 'data/platform.json');
  const platform = JSON.parse(readFileSync(file, 'utf8')) as { readonly plugins?: Readonly<Record<string, unknown>> };
  writeFileSync(file, JSON.stringify({ ...platform, plugins: change(platform.plugins ?? {}) }));
}
