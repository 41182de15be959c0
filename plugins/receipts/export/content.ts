import { setImmediate } from 'node:timers/promises';
import type { FactKind } from '../../../kernel/index.ts';
import { encodeBase64 } from '../format/base64.ts';
import { envelopeOf } from '../format/dsse.ts';
import type { KeySet } from '../format/jwk.ts';
import { readCheckpoint } from '../log/pure/checkpoint.ts';
import { formatPolicy } from '../log/pure/policy-file.ts';
import { inclusionProof, type Subtrees } from '../log/pure/proof.ts';
import { bundleOf, hashesAt, tilePath, tileWidth, widthAt } from '../log/pure/tile.ts';
import type { NoteKey } from '../log/pure/vkey.ts';
import type { LogReads } from '../log/stored/tables.ts';
import { nativeSha256 } from '../log/stored/native-sha.ts';
import { storedSubtrees } from '../log/stored/read-proof.ts';
import { readStatement } from '../verifier/statement.ts';
import { howto } from './howto.ts';
import { manifestFile, manifestOf, receiptPath, type ExportedLog, type Manifest } from './manifest.ts';
import type { ExportFilter, ExportReads, ExportRow } from './rows.ts';
import type { ArchivedFile } from './tar.ts';

/** What an export is made of. */
export interface ExportScope {
  readonly reads: ExportReads & LogReads;
  /** Kinds of facts whose statements are shown beside their envelopes. */
  readonly facts?: readonly FactKind[] | undefined;
  /** Public keys as they are now. */
  readonly keys: KeySet;
  readonly logKeys: readonly NoteKey[];
  readonly installation: string;
  readonly filter: ExportFilter;
  /** The tiles and entries of the logs go along: whoever has them rebuilds the whole tree. */
  readonly tiles: boolean;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/**
 * Lists the files of an export: receipts with their proofs under the newest checkpoints of this moment. Reads a page at
 * a time, holds no more than that, and lets others work in between.
 */
export async function* exportFiles(scope: ExportScope): AsyncGenerator<ArchivedFile> {
  const { reads } = scope;
  const logs = reads.logs().flatMap((row): ExportedLog[] => {
    const newest = reads.newestCheckpoint(row.log);
    const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
    if (newest === undefined || checkpoint === undefined) return [];
    return [{ ...row, size: Number(checkpoint.size), note: newest.note }];
  });
  const manifest: Manifest = manifestOf(scope, logs);
  const upTo = reads.newestRow();
  yield { path: manifestFile, content: `${JSON.stringify(manifest, undefined, 2)}\n` };
  yield { path: 'HOWTO.md', content: howto(manifest) };
  yield { path: 'jwks.json', content: `${JSON.stringify(scope.keys, undefined, 2)}\n` };
  yield { path: 'policy', content: formatPolicy(scope.logKeys) };
  for (const log of logs) {
    yield { path: `log/${log.shard}/checkpoint`, content: log.note };
    if (scope.tiles) yield* logFiles(log, reads);
    yield* receiptFiles(log, upTo, scope);
  }
}

async function* logFiles({ log, shard, size }: ExportedLog, reads: LogReads): AsyncGenerator<ArchivedFile> {
  for (let level = 0; hashesAt(level, size) > 0; level++)
    for (let n = 0; widthAt(level, n, size) > 0; n++) {
      await setImmediate();
      const width = widthAt(level, n, size);
      const path = (of: number | 'entries'): string => `log/${shard}/${tilePath({ level: of, n, width })}`;
      yield { path: path(level), content: reads.tile(log, { level, n, width }) };
      if (level === 0) yield { path: path('entries'), content: bundleOf(reads.entries(log, n * tileWidth, width)) };
    }
}

const pageSize = 32;
const windowSize = 2048;

async function* receiptFiles(log: ExportedLog, upTo: number, scope: ExportScope): AsyncGenerator<ArchivedFile> {
  const { filter, reads } = scope;
  let subtrees: { readonly tile: number; readonly of: Subtrees } | undefined;
  for (let after = 0; after < upTo;) {
    await setImmediate();
    const window = { after, upTo: Math.min(upTo, after + windowSize), limit: pageSize };
    const rows = reads.exportRows(log.log, filter, window);
    for (const row of rows) {
      if (row.idx >= log.size) return;
      // The proofs of one tile share most of what they read.
      const tile = Math.floor(row.idx / tileWidth);
      if (subtrees?.tile !== tile) subtrees = { tile, of: storedSubtrees(reads, log.log, log.size) };
      yield {
        path: receiptPath(log.shard, row),
        content: `${JSON.stringify(exported(row, log, subtrees.of, scope))}\n`,
      };
    }
    after = rows.length < pageSize ? window.upTo : (rows.at(-1)?.row ?? window.upTo);
  }
}

function exported(
  { idx, kid, log, payload, receipt_id, signature }: ExportRow,
  { note, origin, size }: ExportedLog,
  subtrees: Subtrees,
  { facts, reads }: ExportScope,
): object {
  const [leaf] = reads.entries(log, idx, 1);
  const hashes = proofAt(idx, size, subtrees);
  const proved = leaf !== undefined && hashes !== undefined;
  const proof = proved
    ? { proof: { origin, index: idx, tree_size: size, hashes, leaf: encodeBase64(leaf), checkpoint: note } }
    : {};
  return { receipt_id, ...statementOf(payload, facts), envelope: envelopeOf(payload, signature, kid), ...proof };
}

// A copy for reading; a payload that is damaged has none.
function statementOf(payload: Uint8Array, facts: ExportScope['facts']): { readonly statement?: unknown } {
  const reading = readStatement(payload, facts);
  return 'statement' in reading ? { statement: reading.statement } : {};
}

function proofAt(index: number, size: number, subtrees: Subtrees): string[] | undefined {
  try {
    return inclusionProof(index, size, subtrees, nativeSha256).map(encodeBase64);
  } catch (error) {
    // A damaged tile yields no proof; the receipt then goes without, and whoever verifies it is told.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
