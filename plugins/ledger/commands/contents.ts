import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Answered, Client } from '../../../kernel/index.ts';
import { kindOf, type ShownEntry } from '../../receipts/contract.ts';
import type { SnapshotRef } from '../contract.ts';
import type { ledgerExport } from '../routes/schemas.ts';
import type { Readable } from '../fact/read.ts';

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

/** Names the path of the entries or facts of an export. */
export function linesPath(kind: 'facts' | 'entries', { logs }: Pick<Contents, 'logs'>): string {
  return `/ledger/export/${kind}?sizes=${logs.map(({ tree_size }) => tree_size).join(',')}`;
}

/** A ledger that could not be read to its end: it says nothing about the ledger. */
export class LedgerUnread extends Error {}

/** Opens the ledger of a running server. Reads throw LedgerUnread when the server fails in between. */
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
  throw new LedgerUnread(error instanceof Error ? error.message : String(error), { cause: error });
}

async function* received(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = parts[Symbol.asyncIterator]();
  for (;;) {
    const part = await reader.next().catch((cause: unknown) => {
      throw new LedgerUnread('the server ended the answer before its end', { cause });
    });
    if (part.done === true) return;
    yield part.value;
  }
}

/** Opens an exported folder. */
export async function inFolder(folder: string): Promise<Exported> {
  const json = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
  const contents = (await json('ledger.json')) as Contents;
  const checkpoints = contents.logs.map((_, at) => readFile(join(folder, 'checkpoints', `${at}.txt`), 'utf8'));
  return {
    contents,
    entries: () => parsed(linesOf(join(folder, 'entries.ndjson'))),
    derived: {
      facts: () => filled(linesOf(join(folder, 'facts.ndjson'))),
      scoring: await json('scoring.json'),
      snapshots: await json('snapshots.json'),
      checkpoints: await Promise.all(checkpoints),
    },
  };
}

/** Reads the statement of an entry without verifying it. Throws when it is not a statement of this program. */
export function readableOf({ envelope, index, origin }: EntryText): Readable & { readonly receipt_id: string } {
  const statement = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const { predicate, predicateType } = JSON.parse(statement) as {
    readonly predicateType?: unknown;
    readonly predicate?: { readonly receipt_id?: unknown };
  };
  const kind = kindOf(predicateType);
  if (kind === undefined) throw new Error(`an entry is no statement of ours: ${String(predicateType)}`);
  return { origin, index, kind, statement, receipt_id: String(predicate?.receipt_id) };
}

async function* parsed(texts: AsyncIterable<string>): AsyncGenerator<EntryText> {
  for await (const text of filled(texts)) yield JSON.parse(text) as EntryText;
}

// The file is opened when the first line is read: a readline interface loses lines that arrive before that.
async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Infinity });
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
