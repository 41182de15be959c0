import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Client } from '../../../kernel/index.ts';
import type { LogSize, Profile, SnapshotRef } from '../contract.ts';
import type { Line } from '../fact/line.ts';
import { readLine } from '../fact/read.ts';
import { kinds, type Kind } from '../../receipts/contract.ts';

/** What an export begins with. */
export interface Contents {
  readonly logs: readonly LogSize[];
  readonly checkpoints: readonly string[];
  readonly profile: Profile;
  readonly scoring_policy: { readonly id: string; readonly digest: string };
  readonly scoring: object;
  readonly snapshots: readonly SnapshotRef[];
}

/** One line of `entries.ndjson`. */
interface EntryText {
  readonly origin: string;
  readonly index: number;
  readonly envelope: { readonly payload: string };
}

/** An exported ledger, in a folder or at a server. */
export interface Exported {
  readonly contents: Contents;
  /** Reads the entries; may be called again. */
  lines(): AsyncIterable<Line>;
}

/** Names the path of the entries or facts of an export. */
export function linesPath(kind: 'facts' | 'entries', { logs }: Pick<Contents, 'logs'>): string {
  return `/ledger/export/${kind}?sizes=${logs.map(({ tree_size }) => tree_size).join(',')}`;
}

/** Opens the ledger of a running server. */
export async function atServer(client: Client): Promise<Exported> {
  const contents = await client.request<Contents>('GET', '/ledger/export');
  return {
    contents,
    async *lines() {
      yield* parsed(textLines(await client.download(linesPath('entries', contents))));
    },
  };
}

/** Opens an exported folder. */
export async function inFolder(folder: string): Promise<Exported> {
  const contents = JSON.parse(await readFile(join(folder, 'ledger.json'), 'utf8')) as Contents;
  return {
    contents,
    lines: () =>
      parsed(createInterface({ input: createReadStream(join(folder, 'entries.ndjson')), crlfDelay: Infinity })),
  };
}

async function* parsed(texts: AsyncIterable<string>): AsyncGenerator<Line> {
  for await (const text of texts) {
    if (text === '') continue;
    const { origin, index, envelope } = JSON.parse(text) as EntryText;
    const statement = Buffer.from(envelope.payload, 'base64').toString('utf8');
    yield readLine({ origin, index, kind: kindOf(statement), statement });
  }
}

function kindOf(statement: string): Kind {
  const { predicateType } = JSON.parse(statement) as { readonly predicateType?: unknown };
  const kind = kinds.find((name) => predicateType === `urn:agent-orb:${name}:v1`);
  if (kind === undefined) throw new Error(`an entry is of no kind that is known: ${String(predicateType)}`);
  return kind;
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
