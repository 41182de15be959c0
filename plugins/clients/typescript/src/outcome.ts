import type { Completed, Failed, Json, Outcome, ReceiptSummary, Rejected, WaitOptions } from './surface.ts';
import { OrbError } from './error.ts';
import { problemOf, type Problem, type Settled } from './persist.ts';
import { rowOf, unlisted } from './table.ts';
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
  const members = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  const runId = plain['runId'] as string | undefined;
  const open =
    plain.kind === 'held' || plain.kind === 'unknown'
      ? { settle: (options?: WaitOptions) => settle(runId, options) }
      : {};
  // The cast is safe: each kind is made below, or in run.ts, with the members of its type.
  return Object.assign(Object.create({ ...methods, ...open }) as object, members) as unknown as Outcome;
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
  const code = `http_${heard.status}`;
  const unsure = doubt || unlisted(heard.status) === 'unknown';
  return { kind: unsure ? 'unknown' : 'rejected', key, code };
}

/** Says what a problem means; `doubt`: an earlier try may have done it. */
export function ofProblem(problem: Problem, status: number, { key, doubt }: { key: string; doubt: boolean }): Plain {
  const { code, detail, errors, provider_reason, reasons, receipt, retryable, run_id, run_status } = problem;
  const { kind, acted } = rowOf(code, status, run_status);
  const base = { key, code, runId: run_id };
  // Only an answer of the run itself says something of earlier tries.
  if (doubt && run_id === undefined) return { ...base, kind: 'unknown' };
  const more = { ...base, kind, detail };
  switch (kind) {
    case 'denied':
      return { ...more, reasons: reasons ?? [], receipt };
    case 'failed':
      return { ...more, retryable: retryable === true, acted: acted === true, receipt } satisfies Shape<Failed>;
    case 'rejected':
      return { ...more, reason: provider_reason, errors } satisfies Shape<Rejected>;
    case 'unverified':
      return { ...more, code: undefined, check: 'outputs', detail: 'it was settled as done; its outputs are unknown' };
    case 'unknown':
      return { ...base, kind };
  }
}

// The members of a kind, whose values come from the server.
type Shape<T> = Readonly<Record<Exclude<keyof T, 'orThrow'>, unknown>>;

/** A completed run, as the server answers it. */
export interface Execution {
  readonly run_id: string;
  readonly outputs: Json;
  readonly receipt: ReceiptSummary;
  readonly opening?: { readonly inputs_salt: string; readonly outputs_salt?: string };
}

/** Says whether an answer to a call is a completed run, or one that waits. */
export function fitsRun({ json, status }: Answered): boolean {
  const { outputs, receipt, run_id } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof run_id !== 'string') return false;
  return status === 202 || (isObject(outputs) && isObject(receipt));
}

/** Says whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
