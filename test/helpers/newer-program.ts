import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { version } from '../../kernel/tools/version.ts';
import { bundleProgram } from '../runner/program.ts';
import { packageDir } from './folder.ts';
import { shippedProgram } from './program.ts';
import type { Served } from './served.ts';

/** The version of the newer program. */
export const newerVersion = '99.0.0';

// What a later version does: a column more in the table of runs, and a kind of fact that this one does not know.
const changes: readonly (readonly [file: string, from: string, to: string])[] = [
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
  /** The path of the main file of a node's program. */
  programOf(node: string): string;
  /** Gives a node, which is down, the newer program. */
  upgrade(node: string, served: Served): void;
  remove(): void;
}

/** Makes a copy of the program with a later version, one more column and one more kind of fact. */
export async function makeUpgrade(): Promise<Upgrade> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-newer-'));
  const newer = join(folder, 'newer');
  mkdirSync(newer);
  for (const name of ['kernel', 'plugins', 'providers', 'policies', 'data', 'package.json', 'tsconfig.json'])
    cpSync(join(packageDir, name), join(newer, name), { recursive: true, filter: (path) => !path.endsWith('/state') });
  for (const name of ['node_modules', 'dist']) symlinkSync(join(packageDir, name), join(newer, name));
  for (const [file, from, to] of changes) {
    const text = readFileSync(join(newer, file), 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not have what the newer program changes: ${from}`);
    writeFileSync(
      join(newer, file),
      text.replace(from, () => to),
    );
  }
  const program = dirname(await bundleProgram(newer, join(newer, 'program')));
  const older = join(folder, 'older');
  mkdirSync(older);
  writeFileSync(join(older, 'main.mjs'), `await import(${JSON.stringify(pathToFileURL(shippedProgram).href)});`);
  // A program is found by a link of its node: the new one takes its place.
  const point = (node: string, to: string): void => {
    rmSync(join(folder, node), { force: true });
    symlinkSync(to, join(folder, node));
  };
  return {
    programOf(node) {
      point(node, older);
      return join(folder, node, 'main.mjs');
    },
    upgrade(node, { home }) {
      point(node, program);
      const file = join(home, 'data/platform.json');
      const platform = JSON.parse(readFileSync(file, 'utf8')) as { readonly plugins?: object };
      const plugins = { ...platform.plugins, watch: { from: 'ext/watch.ts' } };
      writeFileSync(file, JSON.stringify({ ...platform, plugins }));
      const path = join(home, 'ext/watch.ts');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, plugin);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
