import { canonical, given, PlatformError, type Awaitable, type ResolutionFact } from '../../../../kernel/index.ts';
import type { Commit } from '../../format/commitment.ts';
import { resolvedClass } from '../../kinds/resolution.ts';
import type { OtherFact } from '../other-statement.ts';
import type { StoredReceipt } from '../../log/rows/stored-receipt.ts';
import { isRun, readStatement, type Statement } from '../../verifier/statement.ts';

/** Finds the receipts of an unsettled run: its own first, then its resolutions, oldest first. */
export type ReceiptsOfRun = (runId: string) => Awaitable<readonly StoredReceipt[]>;

/** Completes a resolution with the run's latest receipt. Throws 409 when there is none to resolve. */
export async function completeResolution(
  { note, ...fact }: ResolutionFact,
  receiptsOf: ReceiptsOfRun,
  commit: Commit,
): Promise<OtherFact> {
  const rows = await receiptsOf(fact.run_id);
  const latest = rows.at(-1);
  const [run, resolved] = [rows[0], latest].map(statementOf);
  if (latest === undefined || resolved === undefined || run === undefined || !isRun(run))
    throw new PlatformError('resolution_conflict', `${fact.run_id} has no receipt to resolve`);
  const { finished_at, score_fact } = run.predicate;
  const { caller_ref, is_self } = score_fact;
  const supersedes = classOf(resolved);
  const outcome_class = resolvedClass(fact.facts.outcome, supersedes);
  const noted = note === undefined ? undefined : commit(canonical(note));
  return {
    ...fact,
    facts: {
      ...fact.facts,
      resolves: { receipt_id: latest.receipt_id, digest: latest.digest, finished_at },
      ...(noted === undefined ? {} : { note: { commitment: noted.digest, size: noted.size } }),
    },
    ...{ score_fact: given({ caller_ref, is_self, outcome_class, supersedes }) },
  };
}

function classOf({ predicate }: Statement): unknown {
  return (predicate.score_fact as { readonly outcome_class?: unknown } | undefined)?.outcome_class;
}

function statementOf(row: StoredReceipt | undefined): Statement | undefined {
  const reading = row === undefined ? { fault: '' } : readStatement(row.payload);
  return 'statement' in reading ? reading.statement : undefined;
}
