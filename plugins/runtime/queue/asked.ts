import { PlatformError, type HeldKind, type Operation } from '../../../kernel/index.ts';

/** How a caller asks for a run that it does not wait for. */
export interface Asked {
  /** How long the caller waits for the end all the same, ms. */
  readonly waitMs: number;
  /** The preferences that were followed. */
  readonly applied: string;
  /** RFC 3339. */
  readonly run_at?: string | undefined;
  readonly expires_in_s?: number | undefined;
  /** Makes writes that commit with the run's row. */
  readonly beside?: (runId: string) => readonly Operation[];
}

/** The members of a request's body that are about waiting. */
export interface AskedBody {
  readonly mode?: 'async';
  readonly run_at?: string;
  readonly expires_in_s?: number;
  readonly repeat_guard?: boolean;
  readonly callback?: object;
}

/** Requests that wait for the end of a run. */
export const waits: HeldKind = { name: 'wait', most: 64, brief: true };

/** Makes the same request without a wait. */
export function withoutWait(asked: Asked): Asked {
  return { ...asked, waitMs: 0, applied: 'respond-async' };
}

/** The longest wait for the end of a run in one request, seconds. */
export const longestWaitS = 60;

/**
 * Reads whether a run is to wait for its turn: by the header Prefer (RFC 7240) or the body. Undefined: it is to be served
 * now. Throws 422 `invalid_body` for members that do not go together.
 */
export function askedOf(header: string | string[] | undefined, body: AskedBody): Asked | undefined {
  const preferences = header === undefined ? undefined : preferencesOf([header].flat().join(','));
  if (body.mode !== 'async' && preferences?.has('respond-async') !== true) {
    for (const name of ofLater) if (body[name] !== undefined) throw unfit(name, 'is for `mode: "async"`');
    return undefined;
  }
  if (body.repeat_guard === true) throw unfit('repeat_guard', 'is for calls that wait; send an Idempotency-Key');
  const wait = /^\d{1,6}$/.exec(preferences?.get('wait') ?? '')?.[0];
  const waitS = Math.min(longestWaitS, Number(wait ?? 0));
  return {
    waitMs: waitS * 1000,
    applied: waitS > 0 ? `respond-async, wait=${waitS}` : 'respond-async',
    run_at: body.run_at,
    expires_in_s: body.expires_in_s,
  };
}

const ofLater = ['run_at', 'expires_in_s', 'callback'] as const;

function preferencesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const one of text.split(',')) {
    const [name = '', value = ''] = (one.split(';')[0] ?? '').split('=').map((part) => part.trim());
    // The first of a name counts (RFC 7240 §2).
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value.replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

const dayMs = 86_400_000;
const defaultExpiryS = 3600;

/** Reads when a run may begin and when it has waited too long, ms. Throws 422 `invalid_body`. */
export function timesOf({ run_at, expires_in_s = defaultExpiryS }: Asked, now: number) {
  const at = run_at === undefined ? now : Date.parse(run_at);
  if (at > now + 30 * dayMs) throw unfit('run_at', 'must be at most 30 days from now');
  const begin = Math.max(now, at);
  return { accepted_at: now, run_at: begin, expires_at: begin + expires_in_s * 1000 };
}

function unfit(member: string, detail: string): PlatformError {
  return new PlatformError('invalid_body', `${member} ${detail}`, { errors: [{ pointer: `#/${member}`, detail }] });
}
