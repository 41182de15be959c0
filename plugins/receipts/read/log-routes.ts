import {
  defineRoute,
  PlatformError,
  reply,
  type JsonSchema,
  type Reply,
  type Route,
  given,
} from '../../../kernel/index.ts';
import { exactly, optional, component, listOf } from '../format/exactly.ts';
import { bundleOf, parseTileLevel, parseTileNumber, tileWidth, widthAt } from '../log/pure/tree.ts';
import { formatPolicy } from '../log/pure/policy-file.ts';
import { formatVkey, noteKey, type NoteKey } from '../log/pure/note.ts';
import { problems } from '../problems.ts';
import type { LogRow, LogOwner, StoredCheckpoint } from '../log/stored/tables.ts';
import type { ServedReads } from '../store.ts';
import { damaged } from '../log/stored/read-proof.ts';
import { encodeBase64 } from '../format/base64.ts';

const open = { service: 'runtime', method: 'GET', public: true } as const;
// Read from the store unchanged: a reader of the whole log sends requests as fast as the network allows.
const kept = { ...open, bucket: { name: 'log', per_second: 1000 } } as const;
const cors = { 'Access-Control-Allow-Origin': '*' } as const;
const immutable = { ...cors, 'Cache-Control': 'public, max-age=31536000, immutable' } as const;
/** Headers of an answer that any site may read and that a cache must revalidate. */
export const fresh = { ...cors, 'Cache-Control': 'no-cache' } as const;
const text = 'text/plain; charset=utf-8';
const octets = 'application/octet-stream';

/** Makes the public routes of the log: of its oldest active shard under `/log/`, of every shard under `/log/{shard}/`. */
export function logRoutes(reads: ServedReads): Route[] {
  const shards = ['/log', '/log/{shard}'];
  return shards.flatMap((base) => [
    noteRoute(base, reads),
    vkeyRoute(base, reads),
    ...tileSegments.map((segments) => tileRoute(base, segments, reads)),
    inclusionRoute(base, reads),
    consistencyRoute(base, reads),
    ...(base === '/log' ? [policyRoute(reads), shardsRoute(reads)] : []),
  ]);
}

/** Lists the keys of all logs in the form that verifiers of notes need. */
export async function logKeys(reads: Pick<ServedReads, 'keyState'>): Promise<NoteKey[]> {
  const { keys, logs } = await reads.keyState();
  return logs.flatMap(({ kid, origin }) => {
    const key = keys.find((candidate) => candidate.kid === kid);
    return key === undefined ? [] : [noteKey(origin, key.public_key)];
  });
}

const word = { type: 'string', maxLength: 32 } as const;
// A tile's number is split in groups of three digits, and a partial tile ends in its width.
// One letter would be the name of something else in generated code.
const tileSegments = ['{first}', '{first}/{second}', '{first}/{second}/{third}', '{first}/{second}/{third}/{fourth}'];

const digits = 'Three digits of the tile number; the last group may end in `.p`';
const meanings: Readonly<Record<string, string>> = {
  shard: 'Number of the shard',
  level: 'Level of the tile, or `entries`',
  ...{ first: digits, second: digits, third: digits, fourth: digits },
};

function paramsOf(path: string): JsonSchema {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const properties = Object.fromEntries(names.map((name) => [name, { ...word, description: meanings[name] }]));
  return { type: 'object', additionalProperties: false, required: names, properties };
}

function noSuch(what: string): PlatformError {
  return new PlatformError('route_not_found', `the log has no ${what} yet`);
}

/** Finds the log that a path names; without a shard, the oldest of those that grow. */
async function logOf(reads: ServedReads, params: unknown): Promise<LogRow> {
  const { shard } = (params ?? {}) as { readonly shard?: string };
  const logs = await reads.logs();
  const found = logs.find((log) => (shard === undefined ? log.status === 'active' : log.shard === shard));
  const row = found ?? (shard === undefined ? logs.at(-1) : undefined);
  if (row === undefined) throw noSuch(`shard ${shard ?? ''}`);
  return row;
}

/** Names what is below the log: `getLogCheckpoint` of the oldest active shard, `getShardCheckpoint` of any. */
function at(base: string, below: string, what: string) {
  const path = `${base}/${below}`;
  const operationId = `get${base === '/log' ? 'Log' : 'Shard'}${what}`;
  return path.includes('{') ? { operationId, path, params: paramsOf(path) } : { operationId, path };
}

type TextRoute = Pick<Route, 'path' | 'operationId' | 'summary'> & Partial<Pick<Route, 'problems' | 'params'>>;

const textRoute = (route: TextRoute, bodyOf: (params: unknown) => Promise<string>): Route =>
  defineRoute({
    ...{ ...kept, ...route, produces: 'text/plain' },
    handle: async ({ params }): Promise<Reply> => reply({ headers: fresh, type: text, body: await bodyOf(params) }),
  });

const noteRoute = (base: string, reads: ServedReads): Route => {
  const summary = 'Get the newest checkpoint of the log: a C2SP signed note';
  const about = { ...at(base, 'checkpoint', 'Checkpoint'), summary, problems: ['route_not_found'] } as const;
  return textRoute(about, async (params) => {
    const newest = await reads.newestCheckpoint((await logOf(reads, params)).log);
    if (newest === undefined) throw noSuch('checkpoint');
    return newest.note;
  });
};

const vkeyRoute = (base: string, reads: ServedReads): Route => {
  const summary = 'Get the public key of the log, as a vkey';
  const about = { ...at(base, 'vkey', 'Vkey'), summary, problems: ['route_not_found'] } as const;
  return textRoute(about, async (params) => {
    const { origin } = await logOf(reads, params);
    const key = (await logKeys(reads)).find(({ name }) => name === origin);
    if (key === undefined) throw noSuch('key');
    return `${formatVkey(key)}\n`;
  });
};

const policyRoute = (reads: ServedReads): Route => {
  const summary = 'Get the keys of all logs as a trust file (C2SP tlog-policy); pin a copy';
  return textRoute({ ...at('/log', 'policy', 'Policy'), summary }, async () => formatPolicy(await logKeys(reads)));
};

const tileRoute = (base: string, segments: string, reads: ServedReads): Route =>
  defineRoute({
    ...kept,
    ...at(base, `tile/{level}/${segments}`, `Tile${segments.split('/').length}`),
    summary: 'Get a tile of the log, or, at the level `entries`, a bundle of entries (C2SP tlog-tiles)',
    produces: octets,
    problems: ['route_not_found', problems.log_damaged],
    async handle({ params }): Promise<Reply> {
      const { level, first, second, third, fourth } = (params ?? {}) as Readonly<Record<string, string | undefined>>;
      const row = await logOf(reads, params);
      const number = [first, second, third, fourth].filter((group) => group !== undefined).join('/');
      return reply({ headers: immutable, type: octets, body: await tileBody(reads, row, level ?? '', number) });
    },
  });

async function tileBody(reads: ServedReads, { log, size }: LogRow, levelText: string, number: string) {
  const parsed = parseTileNumber(number);
  const level = levelText === 'entries' ? 0 : parseTileLevel(levelText);
  const missing = noSuch(`tile ${levelText}/${number}`);
  if (parsed === undefined || level === undefined || parsed.width > widthAt(level, parsed.n, size)) throw missing;
  const { n, width } = parsed;
  if (levelText === 'entries') return bundleOf(await reads.entries(log, n * tileWidth, width));
  const hashes = await reads.tile(log, { level, n, width });
  if (hashes.length !== width * 32) throw damaged(`the tile ${levelText}/${number} of the log is truncated`);
  return hashes;
}

const natural = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const hash = { type: 'string', description: 'base64 of 32 bytes' } as const;
const hashes = { type: 'array', items: hash } as const;

/** Schema of an inclusion proof. */
export const inclusionProof = component('InclusionProof', {
  origin: { type: 'string', description: 'Name of the log' },
  index: { ...natural, description: 'Position in the log, from 0' },
  size: { ...natural, description: 'Size of the log' },
  root: hash,
  leaf_hash: hash,
  hashes: { ...hashes, description: 'Hashes of the proof in base64, from the leaf up' },
});

const inclusionRoute = (base: string, reads: ServedReads): Route =>
  defineRoute({
    ...open,
    ...at(base, 'proof/inclusion', 'InclusionProof'),
    summary: 'Get the inclusion proof of an index, at a size',
    query: exactly({
      index: { ...natural, description: 'Position in the log, from 0' },
      size: optional({ ...natural, minimum: 1, description: 'Default: the newest size' }),
    }),
    response: inclusionProof,
    problems: ['invalid_parameter', 'route_not_found', problems.log_damaged],
    async handle({ params, query }): Promise<Reply> {
      const row = await logOf(reads, params);
      const { index, size = row.size } = query;
      if (size > row.size || index >= size) throw outOfRange(`the values must satisfy index < size ≤ ${row.size}`);
      const body = { origin: row.origin, index, size, ...(await reads.inclusion(row, index, size)) };
      return reply({ headers: query.size === undefined ? fresh : immutable, body });
    },
  });

const consistencyRoute = (base: string, reads: ServedReads): Route =>
  defineRoute({
    ...open,
    ...at(base, 'proof/consistency', 'ConsistencyProof'),
    summary: 'Get the consistency proof between two sizes',
    query: exactly({
      from: { ...natural, minimum: 1, description: 'The smaller size' },
      to: { ...natural, minimum: 1, description: 'The larger size' },
    }),
    response: component('ConsistencyProof', {
      origin: { type: 'string', description: 'Name of the log' },
      from: { ...natural, description: 'The smaller size' },
      to: { ...natural, description: 'The larger size' },
      from_root: hash,
      to_root: hash,
      hashes: { ...hashes, description: 'Hashes of the proof in base64, from the leaf up' },
    }),
    problems: ['invalid_parameter', 'route_not_found', problems.log_damaged],
    async handle({ params, query }): Promise<Reply> {
      const row = await logOf(reads, params);
      const { from, to } = query;
      if (to > row.size || from > to) throw outOfRange(`the values must satisfy from ≤ to ≤ ${row.size}`);
      const body = { origin: row.origin, from, to, ...(await reads.consistency(row, from, to)) };
      return reply({ headers: immutable, body });
    },
  });

/** Makes the 400 for an index or a size that the log does not have. */
export function outOfRange(rule: string): PlatformError {
  return new PlatformError('invalid_parameter', rule);
}

const mostShards = 100;

/** Schema of one shard of the log. */
const logShard = exactly('LogShard', {
  shard: { type: 'string', description: 'Name of the shard in URLs' },
  origin: { type: 'string', description: 'Name of the log' },
  node: optional({ type: 'string', description: 'The last node that wrote to it' }),
  size: { type: 'integer', description: 'Number of entries' },
  root: { type: 'string', description: 'Root of the tree, base64' },
  status: { enum: ['active', 'frozen'], description: '`frozen`: no entries are added any more' },
  checkpoint: optional({ type: 'string', description: 'C2SP signed note' }),
  successor: optional({ type: 'string', description: 'Name of the log that continues it' }),
});

/** Makes the route that lists the shards of the log: what an auditor of the whole log has to read. */
const shardsRoute = (reads: Pick<ServedReads, 'keyState' | 'notedLogs'>): Route =>
  defineRoute({
    ...kept,
    path: '/log/shards',
    operationId: 'listLogShards',
    summary: 'List the shards of the log, oldest first; several may be growing',
    query: exactly({ after: optional({ type: 'string', maxLength: 32, description: '`next` of the previous page' }) }),
    response: component('LogShards', {
      shards: listOf(`The shards, at most ${mostShards}`, logShard),
      next: optional({ type: 'string', description: 'Cursor of the next page; absent on the last page' }),
    }),
    async handle({ query: { after } }): Promise<Reply> {
      const logs = await reads.notedLogs();
      const rest = after === undefined ? logs : logs.slice(logs.findIndex(({ row }) => row.shard === after) + 1);
      const page = rest.slice(0, mostShards);
      const last = page.at(-1);
      const next = rest.length > mostShards && last !== undefined ? { next: last.row.shard } : {};
      return reply({
        headers: fresh,
        body: { shards: page.map(shownBy(logs, (await reads.keyState()).owners)), ...next },
      });
    },
  });

interface NotedLog {
  readonly row: LogRow;
  readonly newest: StoredCheckpoint | undefined;
}

function shownBy(logs: readonly NotedLog[], all: readonly LogOwner[]): (log: NotedLog) => object {
  const owners = new Map(all.map((owner) => [owner.log, owner]));
  const successors = new Map([...owners.values()].map(({ follows, log }) => [follows, log]));
  const origins = new Map(logs.map(({ row: { log, origin } }) => [log, origin]));
  return ({ row: { log, origin, root, shard, size, status }, newest }) => {
    const node = owners.get(log)?.node;
    const successor = origins.get(successors.get(origin) ?? 0);
    const checkpoint = newest?.note;
    const shown = { shard, origin, size, root: encodeBase64(root), status };
    return { ...shown, ...given({ node: node ?? undefined, checkpoint, successor }) };
  };
}
