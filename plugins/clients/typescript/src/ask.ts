import { isRecord } from '../../../receipts/format/strict-json.ts';
import { OrbError } from './error.ts';
import { fitsRun } from './outcome.ts';
import { persist, type Call, type Settled } from './persist.ts';
import type { Json, OrbOptions, QueueOptions } from './surface.ts';
import { defined } from './verify/object.ts';
import type { Scope, Until } from './wire.ts';

/** A call as it was sent first. */
export type Sent = ReturnType<typeof sentOf>;

/** Makes a call: the same body and the same key for all tries. `prefer`: the header of that name. */
export function sentOf(
  { options: own, time }: Scope,
  orb: string,
  inputs: Json,
  options: QueueOptions,
  prefer?: string,
) {
  if (!isRecord(inputs)) throw new OrbError('inputs', 'the inputs must be an object');
  const { callback: subscription_id, delivery, expiresInS: expires_in_s, hold, key, manifest, orbiset } = options;
  const { runAt: run_at, runTimeout: timeout_ms, sandbox } = options;
  const callback = subscription_id === undefined ? undefined : { subscription_id };
  const disclose = own.verify === 'never' ? undefined : true;
  const body = { orb_id: orb, inputs, delivery, hold, sandbox, timeout_ms, run_at, expires_in_s, callback, disclose };
  return {
    ...{ orb, manifest, prefer, at: time.now(), key: key ?? crypto.randomUUID() },
    // The inputs that are compared with the receipt are those that were sent.
    body: JSON.parse(JSON.stringify(body)) as Json,
    path: `${orbisetPath(own, orbiset)}/execute`,
  };
}

/** The path of an Orbiset. */
export function orbisetPath({ orbiset = 'default' }: OrbOptions, given?: string): string {
  return `/orbisets/${encodeURIComponent(given ?? orbiset)}`;
}

/** Sends a call, or sends it again under its key. */
export function ask(scope: Scope, { body, key, path, prefer }: Sent, until: Until): Promise<Settled> {
  return persist(scope, {
    ...{ method: 'POST', path, body, repeatable: true, fits: fitsRun, ...until },
    headers: defined({ 'idempotency-key': key, prefer }),
  });
}

/** Reads something, with tries. */
export function read(scope: Scope, path: string, until: Until, more: Partial<Call> = {}): Promise<Settled> {
  return persist(scope, { method: 'GET', path, repeatable: true, ...until, ...more });
}
