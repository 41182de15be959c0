import { OrbError } from './error.ts';
import { isRecord } from '../../../receipts/format/strict-json.ts';
import { defined } from './verify/object.ts';
import { fitsRun } from './outcome.ts';
import { persist, type Settled } from './persist.ts';
import type { Pins } from './trust.ts';
import type { Json, OrbOptions, QueueOptions, WaitOptions } from './surface.ts';
import type { Wire } from './wire.ts';

/** What calls need. */
export interface Scope {
  readonly wire: Wire;
  readonly pins: Pins;
  readonly options: OrbOptions;
}

/** A call as it was sent first. */
export type Sent = ReturnType<typeof sentOf>;
/** When a call must have ended, and what ends it before. */
export type Until = ReturnType<typeof untilOf>;

/** Computes when a call must have ended. */
export function untilOf({ options, wire }: Scope, { signal, timeout }: WaitOptions = {}) {
  return { end: wire.time.now() + (timeout ?? options.timeout ?? 120_000), signal };
}

/** Makes a call: the same body and the same key for all tries. `prefer`: the header of that name. */
export function sentOf({ options: own, wire }: Scope, orb: string, inputs: Json, options: QueueOptions & Prefer) {
  if (!isRecord(inputs)) throw new OrbError('inputs', 'the inputs must be an object');
  const { delivery, expiresInS: expires_in_s, hold, key, manifest, orbiset, prefer, sandbox } = options;
  const { runAt: run_at, runTimeout: timeout_ms } = options;
  const disclose = own.verify === 'never' ? undefined : true;
  const body = { orb_id: orb, inputs, delivery, hold, sandbox, timeout_ms, run_at, expires_in_s, disclose };
  return {
    ...{ orb, manifest, prefer, at: wire.time.now(), key: key ?? crypto.randomUUID() },
    // The inputs that are compared with the receipt are those that were sent.
    body: JSON.parse(JSON.stringify(body)) as Json,
    path: `${orbisetPath(own, orbiset)}/execute`,
  };
}

interface Prefer {
  readonly prefer?: string;
}

/** The path of an Orbiset. */
export function orbisetPath({ orbiset = 'default' }: OrbOptions, given?: string): string {
  return `/orbisets/${encodeURIComponent(given ?? orbiset)}`;
}

/** Sends a call, or sends it again under its key. */
export function ask({ options, wire }: Scope, { body, key, path, prefer }: Sent, until: Until): Promise<Settled> {
  return persist(wire, {
    ...{ method: 'POST', path, body, repeatable: true, fits: fitsRun, tries: options.tries, ...until },
    headers: defined({ 'idempotency-key': key, prefer }),
  });
}

/** Reads something, with tries. */
export function read({ options, wire }: Scope, path: string, until: Until, query?: Json): Promise<Settled> {
  return persist(wire, { method: 'GET', path, query, repeatable: true, tries: options.tries, ...until });
}
