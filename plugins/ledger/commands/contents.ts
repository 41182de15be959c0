import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileLater, type Answered, type Client } from '../../../kernel/index.ts';
import { kindOf, type ShownEntry } from '../../receipts/contract.ts';
import type { SnapshotRef } from '../contract.ts';
import type { ledgerExport } from '../routes/schemas.ts';
import type { Readable } from '../fact/line.ts';

/** The head of an export. */
export type Contents = Omit<Answered<typeof ledgerExport>, 'snapshots'> & {
  readonly snapshots: readonly SnapshotRef[];
};

/** One line of `entries.ndjson`. */
export type EntryText = ShownEntry & { readonly envelope: { readonly payload: string } };

/** The files of a folder that can be derived from `ledger.json` and the entries. */
export interface Derived {
  /** Lines of `facts.ndjson`. */
  facts(): AsyncIterable<string>;
  readonly scoring: unknown;
  readonly snapshots: unknown;
  /** `checkpoints/<shard>.txt`, in the order of the logs. */
  readonly checkpoints: readonly string[];
}

/** An exported ledger, in a folder or at a server. */
export interface Exported {
  readonly contents: Contents;
  /** Reads the entries; may be called again. */
  entries(): AsyncIterable<EntryText>;
  /** Absent: the export is read from a server, from which nothing derived is fetched. */
  readonly derived?: Derived;
}

/** A file of an export is missing (exit 3) or malformed (exit 2). */
export class UnreadableExport extends Error {
  readonly exit: 2 | 3;

  constructor(exit: 2 | 3, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableExport';
    this.exit = exit;
  }
}

/** Names the path of the entries or facts of an export. */
export function linesPath(kind: 'facts' | 'entries', { logs }: Pick<Contents, 'logs'>): string {
  return `/ledger/export/${kind}?sizes=${logs.map(({ tree_size }) => tree_size).join(',')}`;
}

/** Opens the ledger of a running server. Reads throw UnreadableExport when the server fails in between. */
export async function atServer(client: Client): Promise<Exported> {
  const contents = await client.request<Contents>('GET', '/ledger/export').catch(unlessRefused);
  return {
    contents,
    async *entries() {
      yield* parsed(textLines(received(await client.download(linesPath('entries', contents)).catch(unlessRefused))));
    },
  };
}

// A server that cannot be reached, or refuses the request, says so itself.
function unlessRefused(error: unknown): never {
  const { status } = error as { readonly status?: unknown };
  if (typeof status === 'number' && status < 500) throw error;
  return unread(error instanceof Error ? error.message : String(error), error);
}

// An incomplete answer shows nothing about the ledger.
function unread(reason: string, cause: unknown): never {
  const message = `the ledger could not be read, so the comparison did not run: ${reason}; run the command again`;
  throw new UnreadableExport(3, message, { cause });
}

async function* received(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = parts[Symbol.asyncIterator]();
  for (;;) {
    const part = await reader
      .next()
      .catch((cause: unknown) => unread('the server stopped before the answer was complete', cause));
    if (part.done === true) return;
    yield part.value;
  }
}

/** Opens an exported folder. Throws UnreadableExport. */
export async function inFolder(folder: string): Promise<Exported> {
  const text = (name: string): Promise<string> =>
    readFile(join(folder, name), 'utf8').catch((error: unknown) => missing(join(folder, name), error));
  const json = async (name: string): Promise<unknown> => parsedOf(await text(name), join(folder, name));
  const contents = (await json('ledger.json')) as Contents;
  if (faultsOfContents(contents).length > 0)
    return malformed(join(folder, 'ledger.json'), 'does not name logs, checkpoints, snapshots');
  const checkpoints: string[] = [];
  for (const at of contents.logs.keys()) checkpoints.push(await text(join('checkpoints', `${at}.txt`)));
  return {
    contents,
    entries: () => parsed(linesOf(join(folder, 'entries.ndjson'))),
    derived: {
      facts: () => filled(linesOf(join(folder, 'facts.ndjson'))),
      scoring: await json('scoring.json'),
      snapshots: await json('snapshots.json'),
      checkpoints,
    },
  };
}

function missing(path: string, error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new UnreadableExport(3, `cannot read ${path}: ${why}; export the ledger again`, { cause: error });
}

function malformed(what: string, why: string): never {
  throw new UnreadableExport(2, `${what} ${why}; export the ledger again`);
}

function parsedOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return malformed(what, 'is not JSON');
  }
}

const text = { type: 'string' } as const;
const natural = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const having = (properties: Readonly<Record<string, object>>) =>
  ({ type: 'object', required: Object.keys(properties), properties }) as const;
const logs = { type: 'array', items: having({ origin: text, root_hash: text, tree_size: natural }) } as const;
// What the replay reads; the rest of it is compared as a whole.
const faultsOfContents = compileLater(
  having({
    logs,
    checkpoints: { type: 'array', items: text },
    snapshots: { type: 'array', items: having({ day: text, logs }) },
    scoring_policy: { type: 'object' },
  }),
);
const faultsOfEntry = compileLater(
  having({ origin: text, index: natural, leaf: text, envelope: having({ payload: text }) }),
);

/** Reads the statement of an entry without verifying it. Throws when it is not a statement of this program. */
export function readableOf({ envelope, index, origin }: EntryText): Readable & { readonly receipt_id: string } {
  const statement = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const { predicate, predicateType } = JSON.parse(statement) as {
    readonly predicateType?: unknown;
    readonly predicate?: { readonly receipt_id?: unknown };
  };
  const kind = kindOf(predicateType);
  if (kind === undefined) throw new Error(`an entry is not a statement of this program: ${String(predicateType)}`);
  return { origin, index, kind, statement, receipt_id: String(predicate?.receipt_id) };
}

async function* parsed(texts: AsyncIterable<string>): AsyncGenerator<EntryText> {
  let line = 0;
  for await (const text of filled(texts)) {
    const what = `the line ${++line} of the entries`;
    const entry = parsedOf(text, what) as EntryText;
    yield faultsOfEntry(entry).length === 0 ? entry : malformed(what, 'is not an entry');
  }
}

// The file is opened when the first line is read: a readline interface loses lines that arrive before that.
async function* linesOf(path: string): AsyncGenerator<string> {
  const input = await open(path).catch((error: unknown) => missing(path, error));
  try {
    yield* createInterface({ input: input.createReadStream({ autoClose: false }), crlfDelay: Infinity });
  } finally {
    await input.close();
  }
}

async function* filled(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) if (text !== '') yield text;
}

async function* textLines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const pieces = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    yield* pieces;
  }
  if (rest !== '') yield rest;
}
