import { ReadFailed } from '../../../kernel/maintenance.ts';
import type { FactKind } from '../format/fact-kind.ts';
import { documentOf, examiner } from '../read/document.ts';
import { keySet } from '../format/jwk.ts';
import { proverOf, type Prove } from '../log/stored/read-proof.ts';
import type { LogOwner, LogRow } from '../log/stored/tables.ts';
import type { Reads } from '../store.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import { trustOf, type Trust } from '../verifier/trust.ts';
import type { AuditPlace, FailingReceipt } from '../log/rows/audit.ts';

/** A receipt that was verified and failed. */
export type Failed = Omit<FailingReceipt, 'at'>;

/** What one round of the auditor found. */
export type Round = Omit<ReturnType<typeof auditRound>, 'more'>;

type Facts = readonly FactKind[];

const mostPerRound = 32;

/** How far each log is verified, by its origin, in the order of the last rounds; a log without a place is new. */
export type AuditPlaces = ReadonlyMap<string, number>;

/**
 * Lists the logs that a process audits. A single process audits all logs. Of several nodes, each audits its own log,
 * and all audit the frozen logs, whose nodes may no longer exist.
 */
export function auditedBy(node: string | undefined, logs: readonly LogRow[], owners: readonly LogOwner[]) {
  if (node === undefined) return logs;
  const own = new Set(owners.filter((owner) => owner.node === node).map(({ log }) => log));
  return logs.filter(({ log, status }) => status === 'frozen' || own.has(log));
}

/**
 * Verifies the next receipts of one log in full: of the logs that have more, the one that has waited longest. `node`:
 * the one whose logs are audited, where other nodes serve too. Throws ReadFailed, and the round must be repeated.
 */
export function auditRound(reads: Reads, places: AuditPlaces, facts: Facts = [], node?: string) {
  const [found, ...others] = placesLeft(reads, places, node);
  if (found === undefined) return { place: undefined, verified: 0, failed: [], missing: [], more: false };
  const { log, next, origin, size } = found;
  const rows = reads.receiptsFrom(log, next, Math.min(mostPerRound, size - next));
  // Read the trust after the rows, so that it includes the key of every row.
  const trust = trustNow(reads, facts);
  const prove = proverOf(log, reads);
  const end = Math.min(next + mostPerRound, size);
  const within = rows.filter(({ idx }) => idx < end);
  const present = new Set(within.map(({ idx }) => idx));
  const indexes = Array.from({ length: end - next }, (_, at) => next + at);
  return {
    /** How far the log is verified now in which the round was; undefined: nothing is left. */
    place: { origin, next: end },
    /** How many receipts were verified. */
    verified: within.length,
    failed: within.flatMap((row) => examineRow(row, reads, trust, prove)),
    /** Indexes of the log without a receipt, as `<origin>@<index>`. */
    missing: indexes.filter((index) => !present.has(index)).map((index) => `${origin}@${index}`),
    /** Whether a log had more than that. */
    more: end < size || others.length > 0,
  };
}

/** Verifies one receipt again: undefined when it verifies; a missing receipt fails. Throws ReadFailed. */
export function auditAgain(reads: Reads, receiptId: string, facts: Facts = []): Failed | undefined {
  const row = reads.findReceipt(receiptId);
  if (row === undefined) return { receipt_id: receiptId, verdicts: ['stored_row_matches'] };
  return examineRow(row, reads, trustNow(reads, facts), proverOf(row.log, reads))[0];
}

type Found = AuditPlace & Pick<LogRow, 'log' | 'size'>;

// A log that grows fast must not keep the auditor from the others.
function placesLeft(reads: Reads, places: AuditPlaces, node: string | undefined): readonly Found[] {
  const order = [...places.keys()];
  const owners = node === undefined ? [] : reads.owners();
  const left = auditedBy(node, reads.logs(), owners).flatMap(({ log, origin, size }): Found[] => {
    const next = places.get(origin) ?? 0;
    return next < size ? [{ log, origin, size, next }] : [];
  });
  return left.sort((a, b) => order.indexOf(a.origin) - order.indexOf(b.origin));
}

/** Notes how far a log is verified now. */
export function movePlace(places: Map<string, number>, { next, origin }: AuditPlace): void {
  // The log of the last round comes last.
  places.delete(origin);
  places.set(origin, next);
}

function trustNow(reads: Reads, facts: Facts): Trust {
  return { ...trustOf(keySet(reads.keys()).keys), facts };
}

function examineRow(row: StoredReceipt, reads: Reads, trust: Trust, prove: Prove): Failed[] {
  const { receipt_id } = row;
  try {
    const { document } = documentOf(row, trust, reads, { examine: examiner(trust), prove });
    if (document.signature_valid) return [];
    const orb = document.statement?.predicate['orb_id' as never] ?? row.orb_id;
    return [{ receipt_id, ...(typeof orb === 'string' ? { orb_id: orb } : {}), verdicts: verdictsOf(document.checks) }];
  } catch (error) {
    // A read failure shows nothing about the receipt. Any other failure is a fault of the row, which then fails
    // verification.
    if (error instanceof ReadFailed) throw error;
    return [{ receipt_id, ...(row.orb_id === null ? {} : { orb_id: row.orb_id }), verdicts: ['stored_row_matches'] }];
  }
}

function verdictsOf(checks: readonly { readonly name: string; readonly result: string }[]): string[] {
  const failing = checks.filter(({ result }) => result === 'fail');
  // No check failed, so a required check was not possible.
  const named = failing.length > 0 ? failing : checks.filter(({ result }) => result === 'not_checked');
  return named.map(({ name }) => name);
}
