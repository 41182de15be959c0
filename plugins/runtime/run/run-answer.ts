import type { Attested, Settled } from '../dispatch/run-record.ts';
import type { StoredAnswer, Unverified } from '../journal/answer.ts';
import type { Opening, Receipt } from '../facts/facts.ts';
import { PlatformError } from '../../../kernel/index.ts';

/** The answer to a completed run. */
export interface ExecutionResult {
  readonly run_id: string;
  readonly status: 'completed';
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt;
  readonly execution_ms: number;
  readonly opening?: Opening;
}

/** Presents a run that has its receipt: returns its result, or throws its problem. */
export function present(run: Attested): ExecutionResult {
  const answer = answerOf(run, run.receipt, run.opening);
  // The body of a completed run is made by answerOf, with the whole receipt.
  if ('body' in answer) return answer.body as ExecutionResult;
  throw new PlatformError(answer.code, answer.detail, answer.extensions);
}

/** Makes the answer to a run that has ended, as it is kept under its key. */
export function answerOf(run: Settled, receipt: Unverified, opening: Opening | undefined): StoredAnswer {
  const { run_id, ending, execution_ms, decision } = run;
  const { code, detail = '', phase, retry_after } = ending;
  if (code === undefined) {
    // The outputs that the receipt commits to; the adapter may have changed its own copy since.
    const outputs: unknown = JSON.parse(run.outputs ?? '{}');
    const body = { run_id, status: 'completed', outputs, receipt, execution_ms };
    return { body: opening === undefined ? body : { ...body, opening } };
  }
  const { decision_id, reasons = [] } = decision;
  const denial = decision.allow ? {} : { ...(decision_id === undefined ? {} : { decision_id }), reasons };
  const later = retry_after === undefined ? {} : { retry_after };
  const opened = opening === undefined ? {} : { opening };
  const failed = phase === undefined ? {} : { phase };
  const extensions = { run_id, run_status: ending.status, ...failed, receipt, ...opened, ...denial, ...later };
  return { code, detail, extensions };
}
