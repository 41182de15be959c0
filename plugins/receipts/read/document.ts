import type { ReceiptDocument } from '../contract.ts';
import { kindOf } from '../kinds/kind.ts';
import type { Prove } from '../log/stored/read-proof.ts';
import { examiner, type Examine } from './verification-cache.ts';
import type { Reads } from '../store.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import { isRevokedOnly, type Check, type Report, type Values } from '../verifier/report.ts';
import type { Statement } from '../verifier/statement.ts';
import type { Trust } from '../verifier/trust.ts';
import { digest } from '../../../kernel/index.ts';

/** The owner of a receipt. */
export interface Owner {
  /** Tenants in the row and the payload: one, unless somebody edited the row. Null: the installation. */
  readonly tenants: ReadonlySet<string | null>;
  readonly kind: string;
}

type DocumentReads = Pick<Reads, 'receiptsOfRun'>;

/**
 * Builds the answer for a stored receipt and verifies it all again: signature, payload, copies, score, row, log.
 * `examine` replaces the default function, which shares nothing between receipts.
 */
export function documentOf(
  row: StoredReceipt,
  trust: Trust,
  reads: DocumentReads,
  { examine = examiner(trust), prove }: { readonly examine?: Examine; readonly prove: Prove },
) {
  const { artefact, report, statement } = examine(row, prove(row.idx));
  const rowCheck = checkRow(row, report.values);
  const valid = report.exit === 0 && rowCheck.result === 'pass';
  const checks = [...report.checks, rowCheck];
  const document: ReceiptDocument = {
    ...{ ...artefact, signature_valid: valid, ...resolutionOf(row, reads) },
    checks: checks.map(({ name, result }) => ({ name, result })),
    ...(valid ? {} : { effective: { trust_score: 0, risk_level: 'critical', reason: reasonOf(report, checks) } }),
  };
  /** As in `orb receipts verify`. */
  const exit: Report['exit'] = valid ? 0 : report.exit || 1;
  /** Nothing fails but that the key was revoked at or before the position of the receipt. */
  const revoked = rowCheck.result === 'pass' && isRevokedOnly(report.checks);
  return { document, owner: ownerOf(row, statement), exit, revoked };
}

// Only a run with an unknown outcome can be resolved.
function resolutionOf({ run_id, status }: StoredReceipt, reads: DocumentReads): { readonly resolution?: string } {
  if (run_id === null || status !== 'indeterminate') return {};
  const latest = reads.receiptsOfRun(run_id).at(-1);
  return latest?.kind === 'resolution' ? { resolution: latest.receipt_id } : {};
}

type RowCheck = Omit<Check, 'name'> & { readonly name: 'stored_row_matches' };

// Columns that copy a value of the payload.
const copies = [
  ...(['kind', 'run_id', 'tenant', 'orbiset_id', 'orb_id', 'status', 'sequence'] as const),
  ...(['origin', 'kid', 'timestamp', 'trust_score', 'risk_level'] as const),
];

// The other columns are copies too: lists and chains are read from them.
function checkRow(row: StoredReceipt, values: Values | undefined): RowCheck {
  const name = 'stored_row_matches';
  if (values === undefined) return { name, result: 'not_checked', detail: 'the payload was not accepted' };
  const same = copies.every((column) => row[column] === (values[column] ?? null)) && row.digest === digest(row.payload);
  return same ? { name, result: 'pass' } : { name, result: 'fail', detail: 'the stored row differs from the payload' };
}

function ownerOf(row: StoredReceipt, statement: Statement | undefined): Owner {
  const signed = statement === undefined ? row.tenant : (statement.predicate.tenant ?? null);
  return { tenants: new Set([row.tenant, signed]), kind: kindOf(statement?.predicateType) ?? row.kind };
}

function reasonOf({ hint }: Report, checks: readonly (Check | RowCheck)[]): string {
  const failed = checks.find(({ result }) => result === 'fail');
  if (failed === undefined) return hint ?? 'a required check could not be made';
  return `${failed.name}: ${failed.detail ?? 'failed'}`;
}
