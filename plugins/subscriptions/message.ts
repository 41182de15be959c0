import { createHmac, createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { given } from '../../kernel/index.ts';
import { typeOf, type EventType, type Subscription } from './subscription.ts';
import type { AttestedRun, ResolutionFact, RunFact, KnownFact } from '../runtime/contract.ts';

/** The data about a run that its receipt gives to subscribers. */
export interface RunEnd {
  readonly type: EventType;
  readonly orbiset_id: string;
  readonly orb_id: string;
  readonly run_id: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly data: object;
  /** The outputs as JSON, when the Orbiset keeps them. */
  readonly outputs?: string;
}

/** Longest outputs that a body contains, in characters of JSON. */
const mostOutputs = 262_144;

/** Reads the data about a run from a fact; undefined: the fact is about something else. */
export function runEndOf(
  fact: KnownFact,
  receiptId: string,
  summary: Omit<AttestedRun, 'signature_valid'> | undefined,
): RunEnd | undefined {
  if (fact.kind === 'run') return ended(fact as RunFact, receiptId, summary);
  return fact.kind === 'resolution' ? resolved(fact as ResolutionFact, receiptId) : undefined;
}

function ended(fact: RunFact, receipt_id: string, summary: Omit<AttestedRun, 'signature_valid'> | undefined): RunEnd {
  const { run_id, status, reason, orb_id, orbiset_id, mode, execution_ms, finished_at: at, retention_days } = fact;
  const { opening: _, ...receipt } = summary ?? { receipt_id };
  const why = given({ reason, provider_reason: fact.failure?.provider_reason });
  const data = { run_id, status, ...why, orb_id, orbiset_id, mode, execution_ms, receipt };
  const kept = retention_days.outputs > 0 && fact.outputs !== undefined && fact.outputs.length <= mostOutputs;
  const about = { type: typeOf(status), orbiset_id, orb_id, run_id, at, data };
  return { ...about, ...given({ outputs: kept ? fact.outputs : undefined }) };
}

// The outcome that was unknown is known now.
function resolved({ run_id, orb_id, orbiset_id, mode, at, facts }: ResolutionFact, receipt_id: string): RunEnd {
  const { status, by } = facts;
  const data = { run_id, status, resolved_by: by, orb_id, orbiset_id, mode, receipt: { receipt_id } };
  return { type: typeOf(status), orbiset_id, orb_id, run_id, at, data };
}

/**
 * Makes the body of a callback. It names the subscription: one key signs callbacks of all tenants (`v1a`), so the
 * signed text must name the receiver.
 */
export function bodyOf(
  end: RunEnd,
  { subscription_id, wish }: Pick<Subscription, 'subscription_id' | 'wish'>,
  { id, source }: { readonly id: string; readonly source: string },
): string {
  const { type, at, run_id, outputs } = end;
  const told = wish.include?.includes('outputs') === true ? outputs : undefined;
  const data = { subscription_id, ...end.data, ...given({ outputs: told && (JSON.parse(told) as object) }) };
  if (wish.format === 'standard') return JSON.stringify({ type, timestamp: at, data });
  const head = { specversion: '1.0', id, source, type: `agent-orb.${type}`, subject: run_id, time: at };
  return JSON.stringify({ ...head, datacontenttype: 'application/json', data });
}

const prefix = 'whsec_';

/** Makes the headers of a callback: Standard Webhooks, by HMAC (`v1`) and Ed25519 (`v1a`). */
export function headersOf(
  { secret, replaced = [], wish }: Pick<Subscription, 'secret' | 'replaced' | 'wish'>,
  { id, body, now, key }: { readonly id: string; readonly body: string; readonly now: number; readonly key: KeyObject },
): Record<string, string> {
  const seconds = String(Math.floor(now / 1000));
  const signed = Buffer.from(`${id}.${seconds}.${body}`);
  const stillSigning = replaced.filter(({ until }) => now < until);
  const macs = [{ secret }, ...stillSigning].map((one) => {
    const bytes = Buffer.from(one.secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`;
  });
  return {
    'content-type': wish.format === 'cloudevents' ? 'application/cloudevents+json' : 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'agent-orb',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': [...macs, `v1a,${sign(null, signed, key).toString('base64')}`].join(' '),
  };
}

/** Writes the bytes of a secret as subscribers get it. */
export function secretText(bytes: Uint8Array): string {
  return `${prefix}${Buffer.from(bytes).toString('base64')}`;
}

/** Reads the stored key that signs callbacks: PKCS #8. */
export function signingKey(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
}
