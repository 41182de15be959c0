import { backoffMs, limits, retryAfterMs, rowOf } from './table.ts';
import { brokenBy, send, sleep, type Heard, type Scope, type Sending } from './wire.ts';

/** A call with all its tries. */
export interface Call extends Sending {
  /** It is a read, or has a key: it may be repeated when its answer was lost. */
  readonly repeatable: boolean;
  /** Most tries, other than those of the client. */
  readonly tries?: number;
  /** Says whether a 2xx is the answer that was asked for. */
  readonly fits?: (heard: Heard) => boolean;
}

/** What came of a call. */
export interface Settled extends Heard {
  /** An earlier try, or the answer itself, may have done it. */
  readonly doubt: boolean;
}

/** What an answer that is a problem holds. */
export interface Problem {
  readonly code: string;
  readonly [member: string]: unknown;
}

/** Reads the problem of an answer. */
export function problemOf({ json, status }: Heard): Problem | undefined {
  return status >= 400 && typeof json?.['code'] === 'string' ? (json as Problem) : undefined;
}

/** Names what is wrong with an answer. */
export function codeOf(heard: Heard): string {
  return problemOf(heard)?.code ?? `http_${heard.status}`;
}

interface Judged {
  readonly again: boolean;
  /** The try may have done it, and its answer does not say. */
  readonly doubt: boolean;
  /** Waiting for work that goes on, which is no failed try. */
  readonly free?: boolean;
}

function judge(heard: Heard, { fits = () => true, repeatable }: Call): Judged {
  const { broken, headers, ok, sent, status } = heard;
  if (broken !== undefined) return { again: broken !== 'abort' && (repeatable || !sent), doubt: sent };
  if (ok && fits(heard)) return { again: false, doubt: false };
  const problem = problemOf(heard);
  const { kind, retry } = rowOf(problem?.code ?? '', status, problem?.['run_status']);
  const doubt = kind === 'unknown';
  if (problem === undefined) return { again: doubt && repeatable, doubt };
  // Under its key a stored answer comes again.
  const isFinal = headers.has('idempotent-replayed') || (!repeatable && headers.get('x-should-retry') === 'false');
  return { again: retry !== 'never' && !isFinal, doubt, free: problem.code === 'idempotency_in_progress' };
}

/** Sends a call until it is answered for good, its tries are used up or its time is over. Repeats only what the table says. */
export async function persist(scope: Scope, call: Call): Promise<Settled> {
  const { log, tries: own = limits.tries } = scope.options;
  const { now, random } = scope.time;
  const { end, repeatable, tries: most = own } = call;
  // A part of the time is kept for one last look under the same key.
  let deadline = repeatable ? end - Math.min(limits.last_look_ms, (end - now()) / 4) : end;
  let doubt = false;
  for (let tries = 1; ;) {
    const heard = await send(scope, { ...call, end: deadline });
    const { again, doubt: unsure, free = false } = judge(heard, call);
    if (!again) return { ...heard, doubt: doubt || (unsure && heard.broken !== undefined) };
    doubt ||= unsure;
    if (heard.broken === 'time' && deadline < end) {
      deadline = end;
      continue;
    }
    const wait = retryAfterMs(heard.headers.get('retry-after'), now() + scope.skew) ?? backoffMs(tries, random());
    if (heard.broken === 'time' || (!free && tries >= most) || now() + wait >= end) return { ...heard, doubt };
    if (!free) tries += 1;
    log?.({ event: 'wait', ms: wait });
    if (!(await sleep(scope, wait, call))) return { ...brokenBy('abort', doubt), doubt };
    if (now() >= deadline) deadline = end;
  }
}
