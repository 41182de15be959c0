import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import {
  ConfigError,
  defineCommand,
  type Command,
  type CommandCall,
  type Operations,
  type StoreModule,
} from '../../../kernel/index.ts';
import type { StoreAddress, StorePlace } from '../../../kernel/engine.ts';
import { optionsOf } from '../../terminal/contract.ts';
import { isPostgres, type PostgresAddress } from '../connection/address.ts';
import type { Filled, TellRows } from './fill.ts';
import { verdictOf } from '../../operate/contract.ts';
import type { MoveResult } from './move.ts';

const quietMs = 1000;

/** Makes `orb store move`: copies the store of the state dir into an empty database, which takes its place. */
export const storeMove: Command = defineCommand({
  path: 'store move',
  summary: 'move the store into an empty PostgreSQL database, or back into a file; stop all servers first',
  options: optionsOf({
    '--to <url>': 'the database, as in ORB_STORE_URL; default: that variable, which other users cannot see',
    '--to-file': 'move the store of the database of ORB_STORE_URL into a file of the state dir',
  }),
  async run(call) {
    hideArguments();
    const found = await settingsOf(call);
    const isBack = call.options['toFile'] === true;
    const since = performance.now();
    const { filled, installation } = await (isBack ? intoFile(call, found) : intoDatabase(call, found));
    const ms = Math.round(performance.now() - since);
    const next = isBack ? nextStartOnFile : await nextStart(found);
    const { shown } = found.address;
    call.print(
      { installation, ...(isBack ? { from: shown } : { to: shown }), ...filled, ms, ...next.settings },
      [...told(filled, ms), ...next.lines].join('\n'),
    );
  },
});

/** The store of an installation whose address is one of this plugin. */
interface Settings {
  readonly stateDir: string;
  readonly address: StoreAddress & PostgresAddress;
  /** Value of ORB_MASTER_KEY. */
  readonly masterKey: string | undefined;
  /** Value of ORB_NODE. */
  readonly node: string | undefined;
  /** The modules of the configuration, and those that ship and are left out, which may have left rows. */
  readonly modules: readonly StoreModule<Operations, unknown>[];
}

async function intoDatabase(call: CommandCall, found: Settings): Promise<MoveResult> {
  const { note } = call;
  // Most programs never need it.
  const { moveStore } = await import('./move.ts');
  return moveStore({
    ...{ ...found, now: Date.now(), tellRows: sayRows(call) },
    check: () => checkLog(call, found, [found.address.shown, remedyOn('file')]),
    tell: ({ store, migration }) => note(`upgrading: migration ${migration} of the store ${store}`),
    onStep: (step) => note(saidOf[step]),
  });
}

async function intoFile(call: CommandCall, found: Settings): Promise<MoveResult> {
  if (call.options['to'] !== undefined)
    throw new ConfigError(['--to-file reads the database of ORB_STORE_URL; omit --to']);
  const { moveBack } = await import('./back.ts');
  return moveBack({
    ...{ ...found, now: Date.now(), tell: () => undefined, tellRows: sayRows(call) },
    check: (folder) => checkLog(call, { stateDir: folder }, ['the file', remedyOn('database')]),
    onStep: (step) => call.note(backOf[step]),
  });
}

const nextStartOnFile = {
  settings: {},
  lines: [
    'Start the server in the same state dir, without ORB_STORE_URL (and store.url in platform.json),',
    'with ORB_MASTER_KEY as it is set now. It is the only node: stop all other nodes permanently.',
  ],
};

/** Checks the log of a store; throws ConfigError when it is not sound. `remedy`: what to do then. */
async function checkLog(
  call: CommandCall,
  place: StorePlace,
  [name, remedy]: readonly [string, string],
): Promise<void> {
  const { exit } = await verdictOf({ ...call, store: () => place });
  if (exit === 3 && place.address === undefined)
    throw new ConfigError([
      `the log in ${name} could not be checked; run the command in the state dir of a server of this database, which contains the public keys`,
    ]);
  if (exit !== 0) throw new ConfigError([`the log in ${name} failed its check (exit ${exit}): ${remedy}`]);
}

const remedyOn = (place: string): string => `run \`orb log fsck\` on the ${place}, which stays in use`;

const backOf = {
  marked: 'the database is locked: servers cannot start on it now',
  filled: 'all rows are copied; checking the log in the file',
  checked: 'the log in the file is intact',
  left: 'the database is marked as moved: servers no longer start on it',
  settled: 'the file is in use',
} as const;

const saidOf = {
  marked: 'the database is locked: servers cannot start on it yet',
  filled: 'all rows are copied; checking the log in the database',
  checked: 'the log in the database is intact',
  left: 'the file is marked as moved: servers no longer start on it',
  settled: 'the database is in use',
} as const;

// The list of processes shows the arguments of each to all users; the address may hold a password.
function hideArguments(): void {
  if (isMainThread) process.title = 'orb store move';
}

async function settingsOf({ env, installation, options }: CommandCall): Promise<Settings> {
  const to = options['to'];
  const faults: string[] = [];
  const config = installation.read(faults, typeof to === 'string' ? { ...env, ORB_STORE_URL: to } : env);
  const { place, plugins } = await installation.load(config, faults);
  const configured = plugins.flatMap(({ stores }) => stores.map(({ module }) => module));
  const names = new Set(configured.map(({ name }) => name));
  const shipped = installation.shipped.flatMap(({ store }) => (typeof store === 'object' ? [store] : []));
  const modules = [...configured, ...shipped.filter(({ name }) => !names.has(name))];
  const { stateDir, masterKey, node } = config;
  if (!isPostgres(place.address)) throw new ConfigError(['name the database with --to or ORB_STORE_URL']);
  return { stateDir, address: place.address, masterKey, node, modules };
}

function sayRows({ bar, note }: CommandCall): TellRows {
  let last = Date.now();
  return (table, rows) => {
    const amount = `${rows.toLocaleString('en')} rows`;
    if (bar !== undefined) return bar.count(`copying ${table}`)(amount);
    if (Date.now() - last < quietMs) return;
    last = Date.now();
    note(`copying ${table}: ${amount}`);
  };
}

function told(filled: Filled | undefined, ms: number): readonly string[] {
  if (filled === undefined) return ['An earlier run copied everything; the move is complete now.'];
  const { replaced, rows, tables } = filled;
  const each = Math.round((1000 * rows) / Math.max(1, ms)).toLocaleString('en');
  return [
    `${rows.toLocaleString('en')} rows of ${tables} tables in ${(ms / 1000).toFixed(1)} s (${each} a second); the log was checked.`,
    ...(replaced === 0
      ? []
      : [
          `${replaced} values contained the character U+0000, which the database cannot store; it is replaced by U+FFFD there.`,
        ]),
  ];
}

/** Says with which settings the next server starts, without a secret. */
async function nextStart({ address: { shown }, masterKey, node, stateDir }: Settings) {
  const { findNode } = await import('../../../kernel/engine.ts');
  const keyFile = join(stateDir, 'master.key');
  const isKept = masterKey === undefined && existsSync(keyFile);
  const key = isKept ? `the content of ${keyFile}` : 'as it is set now';
  const { name } = findNode(stateDir, node);
  return {
    settings: { node: name, ...(isKept ? { master_key_file: keyFile } : {}) },
    lines: [
      `Start the server in the same state dir, with`,
      `  ORB_STORE_URL   the address of ${shown}`,
      `  ORB_MASTER_KEY  ${key}`,
      `  ORB_NODE        ${name}`,
    ],
  };
}
