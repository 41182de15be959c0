import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, defineCommand, type CommandCall } from '../../../kernel/index.ts';
import { viewStore } from '../../../kernel/maintenance.ts';
import { listing, Shown } from '../../terminal/contract.ts';
import { needsOwnFile, storeName } from '../store-file.ts';
import { filesIn, type FileSize } from './files.ts';
import { keepings, type Keeping, type Value } from './keeping.ts';
import { measureStore, sum, type StoreSize } from './tables.ts';

// A second of reading, from a disk that is not fast.
const largeBytes = 256 * 1024 ** 2;
const quietMs = 1000;
const mostValues = 10;
// A table that takes less than this part of the store gets no line of its own.
const smallest = 1000;

/**
 * `orb store size`: what uses disk space in the state dir, and what keeps less. Declarations of plugins that
 * platform.json names by a file are not read, because a shipped command runs no code of the folder it is called in;
 * their tables are measured as all others.
 */
export const storeSize = defineCommand({
  path: 'store size',
  summary: 'show disk use of the state dir by table and file, and the settings that reduce it',
  async run(call) {
    needsOwnFile(call, 'query its size: SELECT pg_size_pretty(pg_database_size(current_database()))');
    const { stateDir, print } = call;
    const view = await viewStore({ stateDir });
    if (view === undefined) throw new ConfigError([`ORB_STATE_DIR: ${stateDir} holds no store`]);
    try {
      const files = filesIn(stateDir).filter(({ name }) => name !== storeName);
      const store = measureStore(view, progress(call));
      const kept = keepings(call, view, store.tables);
      const bytes = statSync(join(stateDir, storeName)).size + sum(files.map((file) => file.bytes));
      const shown = text(stateDir, bytes, { store, files, kept });
      print({ state_dir: stateDir, bytes, store, files, keeps: kept }, shown.on(call.screen));
    } finally {
      view.close();
    }
  },
});

type Shows = Pick<CommandCall, 'bar' | 'stateDir' | 'note'>;

/** Tells that a large store is read, and once a second how much of it was. */
export function progress({ bar, stateDir, note }: Shows): (read: number) => void {
  const all = statSync(join(stateDir, storeName)).size;
  const shown = bar?.part(`reading ${storeName}`);
  if (shown !== undefined) return (read) => shown(read, all);
  if (all >= largeBytes) note(`reading all of ${storeName}, ${size(all)}; this can take a minute`);
  let last = Date.now();
  return (read) => {
    if (Date.now() - last < quietMs) return;
    last = Date.now();
    note(`${share(read, all)} read`);
  };
}

type Found = { readonly store: StoreSize; readonly files: readonly FileSize[]; readonly kept: readonly Keeping[] };

function text(stateDir: string, bytes: number, { store, files, kept }: Found): Shown {
  const large = store.tables.filter((one) => one.bytes * smallest >= store.bytes);
  const small = store.tables.slice(large.length);
  const tables = large.map(({ name, rows, bytes, row_bytes, index_bytes, unused_bytes }) => [
    ...[name, rows.toLocaleString('en'), size(bytes), share(bytes, store.bytes)],
    ...[`${row_bytes.toLocaleString('en')} B`, size(index_bytes), share(unused_bytes, bytes)],
  ]);
  const heads = ['TABLE', 'ROWS', 'SIZE', 'OF STORE', 'A ROW', 'INDEXES', 'UNUSED'];
  return new Shown((screen) =>
    [
      `${stateDir}: ${size(bytes)}`,
      `\n${storeName}: ${size(store.bytes)}, ${size(store.free_bytes)} of it in free pages\n`,
      listing(heads, tables).on(screen),
      ...(small.length === 0 ? [] : [`and ${small.length} small ones, ${size(sum(small.map((one) => one.bytes)))}`]),
      '\nOther files\n',
      listing(
        ['FILE OR FOLDER', 'FILES', 'SIZE'],
        files.map(({ name, files, bytes }) => [name, String(files), size(bytes)]),
      ).on(screen),
      '\nHow to keep less\n',
      ...kept.flatMap(keepingLines),
      `\nFree pages stay in ${storeName}, and new rows use them before the file grows. To return them to the file`,
      'system, stop the server and run: orb store compact',
    ].join('\n'),
  );
}

function keepingLines({ what, bytes, advice, settings, values }: Keeping): readonly string[] {
  const more = values.length > mostValues ? [`    and ${values.length - mostValues} more: --json lists them`] : [];
  return [
    `  ${what}: ${size(bytes)}`,
    ...settings.map((setting) => `    ${valueLine(setting)}`),
    ...(advice === undefined ? [] : [`    ${advice}`]),
    ...values.slice(0, mostValues).map((value) => `    ${valueLine(value)}`),
    ...more,
  ];
}

function valueLine({ name, value, default: usual, description }: Value): string {
  const shown = value === undefined ? 'not set' : JSON.stringify(value);
  return `${name}: ${shown}${usual === true ? ', the default' : ''}${description === undefined ? '' : ` (${description})`}`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Writes a number of bytes for people: `6.4 GiB`. */
export function size(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? 'B'}`;
}

function share(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`;
}
