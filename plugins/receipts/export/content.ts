import { setImmediate } from 'node:timers/promises';
import { envelopeOf } from '../format/dsse.ts';
import type { KeySet } from '../format/jwk.ts';
import { readCheckpoint, type NoteKey } from '../log/pure/note.ts';
import { formatPolicy } from '../log/pure/policy-file.ts';
import { bundleOf, hashesAt, tilePath, tileWidth, widthAt } from '../log/pure/tree.ts';
import type { Prove } from '../log/stored/read-proof.ts';
import type { ReceiptFilter } from '../log/rows/filter.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import type { Serving } from '../read/serving.ts';
import type { ServedReads } from '../store.ts';
import { factsFile, formatFacts, type KnownFacts } from '../kinds/facts-file.ts';
import { readStatement } from '../verifier/statement.ts';
import { howto } from './howto.ts';
import { manifestOf, type ExportedLog } from './manifest.ts';
import { manifestFile, receiptPath } from '../verifier/archive/exported.ts';
import type { ArchivedFile } from '../format/tar.ts';

/** What an export is made from. */
export interface ExportScope extends Pick<Serving, 'reads'> {
  readonly lists: Pick<Serving['lists'], 'exportRows'>;
  /** Kinds of facts: statements of all of them are shown; the export includes the kinds from outside the program. */
  readonly facts?: KnownFacts;
  /** Current public keys. */
  readonly keys: KeySet;
  readonly logKeys: readonly NoteKey[];
  readonly installation: string;
  readonly filter: ReceiptFilter;
  /** Includes the tiles and entries of the logs: with them a reader rebuilds the whole tree. */
  readonly tiles: boolean;
  /** RFC 3339 UTC. */
  readonly at: string;
}

/**
 * Lists the files of an export: receipts with their proofs under the newest checkpoints at the time of the call. Reads
 * one page at a time, keeps no more in memory, and lets other work run in between.
 */
export async function* exportFiles(scope: ExportScope): AsyncGenerator<ArchivedFile> {
  const { reads } = scope;
  const logs = (await reads.notedLogs()).flatMap(({ newest, row }): ExportedLog[] => {
    const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
    if (newest === undefined || checkpoint === undefined) return [];
    return [{ ...row, size: Number(checkpoint.size), note: newest.note }];
  });
  const manifest = manifestOf(scope, logs);
  yield { path: manifestFile, content: `${JSON.stringify(manifest, undefined, 2)}\n` };
  const outside = scope.facts?.outside ?? [];
  yield { path: 'HOWTO.md', content: howto(manifest, outside.length > 0) };
  yield { path: 'jwks.json', content: `${JSON.stringify(scope.keys, undefined, 2)}\n` };
  yield { path: 'policy', content: formatPolicy(scope.logKeys) };
  if (outside.length > 0) yield { path: factsFile, content: formatFacts(outside) };
  for (const log of logs) {
    yield { path: `log/${log.shard}/checkpoint`, content: log.note };
    if (scope.tiles) yield* logFiles(log, reads);
    yield* receiptFiles(log, scope);
  }
}

async function* logFiles({ log, shard, size }: ExportedLog, reads: ServedReads): AsyncGenerator<ArchivedFile> {
  for (let level = 0; hashesAt(level, size) > 0; level++)
    for (let n = 0; widthAt(level, n, size) > 0; n++) {
      await setImmediate();
      const width = widthAt(level, n, size);
      const path = (of: number | 'entries'): string => `log/${shard}/${tilePath({ level: of, n, width })}`;
      yield { path: path(level), content: await reads.tile(log, { level, n, width }) };
      if (level === 0)
        yield { path: path('entries'), content: bundleOf(await reads.entries(log, n * tileWidth, width)) };
    }
}

const pageSize = 32;
const windowSize = 2048;

async function* receiptFiles(log: ExportedLog, scope: ExportScope): AsyncGenerator<ArchivedFile> {
  const { facts, filter, lists, reads } = scope;
  for (let from = 0; from < log.size;) {
    const window = { from, to: Math.min(log.size, from + windowSize), limit: pageSize };
    const rows = await lists.exportRows(log.log, filter, window);
    // The proofs of a page share most of their reads.
    const indexes = rows.map(({ idx }) => idx);
    const proofs = rows.length === 0 ? [] : await reads.proofs(log.log, { size: log.size, note: log.note }, indexes);
    for (const [at, row] of rows.entries())
      yield { path: receiptPath(log.shard, row), content: `${JSON.stringify(exported(row, proofs[at], facts))}\n` };
    const last = rows.length < pageSize ? undefined : rows.at(-1);
    from = last === undefined ? window.to : last.idx + 1;
  }
}

// A damaged tile yields no proof; the receipt is exported without it, and verification reports that.
function exported(row: StoredReceipt, proof: ReturnType<Prove>, facts: ExportScope['facts']): object {
  const { kid, payload, receipt_id, signature } = row;
  const { checkpoint, ...place } = proof ?? {};
  const proved = proof === undefined ? {} : { proof: { ...place, checkpoint } };
  return { receipt_id, ...statementOf(payload, facts), envelope: envelopeOf(payload, signature, kid), ...proved };
}

// A copy for reading; absent when the payload is damaged.
function statementOf(payload: Uint8Array, facts: ExportScope['facts']): { readonly statement?: unknown } {
  const reading = readStatement(payload, facts?.all);
  return 'statement' in reading ? { statement: reading.statement } : {};
}
