import { backoffMs, limits, retryAfterMs, rowOf, unlisted, type Retry } from './table.ts';
import { send, type Answered, type Heard, type Sending, type Wire } from './wire.ts';

/** A call with all its tries. */
export interface Call extends Omit<Sending, 'deadline'> {
  /** When all of it must have ended. */
  readonly end: number;
  /** It is a read, or has a key: it may be repeated when its answer was lost. */
  readonly repeatable: boolean;
  readonly tries?: number | undefined;
  /** Says whether a 2xx is the answer that was asked for. */
  readonly fits?: (answer: Answered) => boolean;
}

/** What came of a call. */
export interface Settled {
  readonly heard: Heard;
  /** An earlier try, or the answer itself, may have done it. */
  readonly doubt: boolean;
}

/** What an answer that is a problem holds. */
export interface Problem {
  readonly code: string;
  readonly [member: string]: unknown;
}

/** Reads the problem of an answer. */
export function problemOf({ json, status }: Answered): Problem | undefined {
  const problem = json as Partial<Problem> | null | undefined;
  return status >= 400 && typeof problem?.code === 'string' ? (problem as Problem) : undefined;
}

interface Judged {
  readonly retry: Retry;
  /** The try may have done it, and its answer does not say. */
  readonly doubt: boolean;
  /** Waiting for work that goes on, which is no failed try. */
  readonly free?: boolean;
}

function judge(heard: Heard, { repeatable, fits = () => true }: Call): Judged {
  const again = repeatable ? 'same_key' : 'never';
  if (heard.kind === 'broken') {
    const over = heard.why === 'abort' || (!repeatable && heard.sent);
    return { retry: over ? 'never' : 'same_key', doubt: heard.sent };
  }
  const { headers, status } = heard;
  if (status >= 200 && status < 300 && fits(heard)) return { retry: 'never', doubt: false };
  const problem = problemOf(heard);
  if (problem === undefined) {
    const doubt = unlisted(status) === 'unknown';
    return { retry: doubt ? again : 'never', doubt };
  }
  const { kind, retry } = rowOf(problem.code, status, problem['run_status']);
  const doubt = kind === 'unknown';
  // Under its key a stored answer comes again.
  if (headers.has('idempotent-replayed')) return { retry: 'never', doubt };
  if (!repeatable && headers.get('x-should-retry') === 'false') return { retry: 'never', doubt };
  return { retry, doubt, free: problem.code === 'idempotency_in_progress' };
}

/** Sends a call until it is answered for good, its tries are used up or its time is over. Repeats only what the table says. */
export async function persist(wire: Wire, call: Call): Promise<Settled> {
  const { now, random } = wire.time;
  const { end } = call;
  // A part of the time is kept for one last look under the same key.
  let deadline = call.repeatable ? end - Math.min(limits.last_look_ms, (end - now()) / 4) : end;
  const most = call.tries ?? limits.tries;
  let doubt = false;
  for (let tries = 1; ;) {
    const heard = await send(wire, { ...call, deadline });
    const judged = judge(heard, call);
    if (judged.retry === 'never') return { heard, doubt: doubt || (judged.doubt && heard.kind === 'broken') };
    doubt ||= judged.doubt;
    if (heard.kind === 'broken' && heard.why === 'time') {
      if (deadline === end) return { heard, doubt };
      deadline = end;
      continue;
    }
    if (judged.free !== true && tries >= most) return { heard, doubt };
    const wait =
      (heard.kind === 'answered' ? retryAfterMs(heard.headers.get('retry-after'), now() + wire.skew) : undefined) ??
      backoffMs(tries, random());
    if (judged.free !== true) tries += 1;
    if (now() + wait >= end) return { heard, doubt };
    wire.log({ event: 'wait', ms: wait });
    if (!(await sleep(wire, wait, call.signal))) return { heard: { kind: 'broken', sent: doubt, why: 'abort' }, doubt };
    if (now() >= deadline) deadline = end;
  }
}

/** Waits; false: the signal ended it. */
export function sleep({ time }: Pick<Wire, 'time'>, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve(false);
    const left = (): void => finish(false);
    const cancel = time.after(ms, () => finish(true));
    const finish = (whole: boolean): void => {
      cancel();
      signal?.removeEventListener('abort', left);
      resolve(whole);
    };
    signal?.addEventListener('abort', left);
  });
}
