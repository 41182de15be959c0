import type { Completed, Json, Outcome, ReceiptSummary, WaitOptions } from './surface.ts';
import { OrbError } from './error.ts';
import { isRecord } from '../../../receipts/format/strict-json.ts';
import { defined } from './verify/object.ts';
import { problemOf, type Problem, type Settled } from './persist.ts';
import { rowOf, unlisted, type Kind } from './table.ts';
import type { Answered } from './wire.ts';

/** An outcome without its methods. */
export type Plain = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Makes what waits for the end of an outcome that is open. */
export type Settle = (runId: string | undefined, options?: WaitOptions) => Promise<Outcome>;

const methods = {
  orThrow(this: Outcome): Completed {
    if (this.kind === 'completed') return this;
    const about = 'code' in this && this.code !== undefined ? `: ${this.code}` : '';
    throw new OrbError(this.kind, `the call ended ${this.kind}${about}`, { outcome: this });
  },
};

/** Makes an outcome of its members: its methods are no members of it. */
export function outcomeOf(plain: Plain, settle: Settle): Outcome {
  const runId = plain['runId'] as string | undefined;
  const isOpen = plain.kind === 'held' || plain.kind === 'unknown';
  const open = isOpen ? { settle: (options?: WaitOptions) => settle(runId, options) } : {};
  // The cast is safe: each kind is made below, in run.ts or in proof.ts with the members of its type.
  return Object.assign(Object.create({ ...methods, ...open }) as object, defined(plain)) as unknown as Outcome;
}

/** Says how a call ended that got no 2xx. */
export function failureOf({ heard, doubt }: Settled, key: string): Plain {
  if (heard.kind === 'broken') {
    const aborted = heard.why === 'abort' ? true : undefined;
    return { kind: doubt || heard.sent ? 'unknown' : 'unreachable', key, aborted };
  }
  const problem = problemOf(heard);
  if (problem !== undefined) return ofProblem(problem, heard.status, { key, doubt });
  // A page of a proxy. Behind 4xx it proves that this request did nothing, but nothing of one before it.
  const unsure = doubt || unlisted(heard.status) === 'unknown';
  return { kind: unsure ? 'unknown' : 'rejected', key, code: `http_${heard.status}` };
}

/** What a run that was settled as done has in place of outputs. */
export const settledAsDone = { check: 'outputs', detail: 'it was settled as done; its outputs are unknown' };

/** Says what a problem means; `doubt`: an earlier try may have done it. */
export function ofProblem(problem: Problem, status: number, { key, doubt }: { key: string; doubt: boolean }): Plain {
  const { code, detail, errors, provider_reason, reasons = [], receipt, retryable, run_id, run_status } = problem;
  const { acted = false, kind } = rowOf(code, status, run_status);
  const more: Readonly<Record<Kind, object>> = {
    denied: { code, detail, reasons, receipt },
    failed: { code, detail, retryable: retryable === true, acted, receipt },
    rejected: { code, detail, reason: provider_reason, errors },
    unknown: { code },
    unverified: { ...settledAsDone, receipt },
  };
  // Only an answer of the run itself says something of earlier tries.
  const told = doubt && run_id === undefined ? 'unknown' : kind;
  return { key, runId: run_id, kind: told, ...more[told] };
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
export function fitsRun({ json, status }: Answered): boolean {
  const { outputs, receipt, run_id } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof run_id !== 'string') return false;
  return status === 202 || (isRecord(outputs) && isRecord(receipt));
}
