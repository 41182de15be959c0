import { OrbError } from './error.ts';
import { defined, isObject } from './verify/object.ts';
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
export interface Sent {
  readonly orb: string;
  readonly body: Json;
  readonly path: string;
  readonly key: string;
  /** `sha256:…` of the manifest that the caller expects. */
  readonly manifest: string | undefined;
  /** When it was sent. */
  readonly at: number;
  readonly prefer?: string;
}

/** When a call must have ended, and what ends it before. */
export interface Until {
  readonly end: number;
  readonly signal: AbortSignal | undefined;
}

/** Computes when a call must have ended. */
export function untilOf({ options, wire }: Scope, { signal, timeout }: WaitOptions = {}): Until {
  return { end: wire.time.now() + (timeout ?? options.timeout ?? 120_000), signal };
}

/** Makes a call: the same body and the same key for all tries. */
export function sentOf({ options: own, wire }: Scope, orb: string, inputs: Json, options: QueueOptions): Sent {
  if (!isObject(inputs)) throw new OrbError('inputs', 'the inputs must be an object');
  const { delivery, expiresInS, hold, key, manifest, orbiset, runAt, runTimeout, sandbox } = options;
  const body = {
    ...{
      orb_id: orb,
      inputs,
      delivery,
      hold,
      sandbox,
      timeout_ms: runTimeout,
      run_at: runAt,
      expires_in_s: expiresInS,
    },
    disclose: own.verify === 'never' ? undefined : true,
  };
  return {
    ...{ orb, manifest, at: wire.time.now(), key: key ?? crypto.randomUUID() },
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
