import { isRecord } from '../../../receipts/format/strict-json.ts';
import { codeOf, problemOf, type Problem, type Settled } from './persist.ts';
import type { Json, ReceiptSummary } from './surface.ts';
import { rowOf, unlisted, type Kind } from './table.ts';
import type { Heard } from './wire.ts';

/** An outcome without its methods. */
export type Plain = Readonly<Record<string, unknown>> & { readonly kind: string; readonly runId?: string | undefined };

/** Says how a call ended that got no 2xx. */
export function failureOf(settled: Settled, key: string): Plain {
  const { broken, doubt, sent, status } = settled;
  if (broken !== undefined)
    return { kind: doubt || sent ? 'unknown' : 'unreachable', key, aborted: broken === 'abort' || undefined };
  const problem = problemOf(settled);
  if (problem !== undefined) return ofProblem(problem, status, key, doubt);
  // A page of a proxy. Behind 4xx it proves that this request did nothing, but nothing of one before it.
  const unsure = doubt || unlisted(status) === 'unknown';
  return { kind: unsure ? 'unknown' : 'rejected', key, code: codeOf(settled) };
}

/** What a run that was settled as done has in place of outputs. */
export const settledAsDone = { check: 'outputs', detail: 'it was settled as done; its outputs are unknown' };

/** Says what a problem means; `doubt`: an earlier try may have done it. */
export function ofProblem(problem: Problem, status: number, key: string, doubt = false): Plain {
  const { code, detail, errors, provider_reason, reasons = [], receipt, retryable, run_id, run_status } = problem;
  const { acted = false, kind } = rowOf(code, status, run_status);
  const about = { code, detail, receipt };
  const more: Readonly<Record<Kind, object>> = {
    denied: { ...about, reasons },
    failed: { ...about, retryable: retryable === true, acted },
    rejected: { ...about, reason: provider_reason, errors },
    unknown: { code },
    unverified: { ...settledAsDone, receipt },
  };
  // Only an answer of the run itself says something of earlier tries.
  const told = doubt && run_id === undefined ? 'unknown' : kind;
  return { key, runId: run_id as string | undefined, kind: told, ...more[told] };
}

/** A completed run, or one that waits, as the server answers it. */
export interface Execution {
  readonly run_id: string;
  readonly status?: string;
  readonly approval?: Json;
  readonly outputs: Json;
  readonly receipt: ReceiptSummary;
  readonly opening?: { readonly inputs_salt: string; readonly outputs_salt?: string };
}

/** Says whether an answer to a call is a completed run, or one that waits. */
export function fitsRun({ json = {}, status }: Heard): boolean {
  const isDone = isRecord(json['outputs']) && isRecord(json['receipt']);
  return typeof json['run_id'] === 'string' && (status === 202 || isDone);
}
