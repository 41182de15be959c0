import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { digest as digestOf, operation, PlatformError, timestamp, type PluginScope } from '../../../kernel/index.ts';
import { authenticate } from '../sources/auth/authenticate.ts';
import { faultOf } from '../sources/auth/fault.ts';
import type { Accepted, Arrived } from '../deliveries/writing.ts';
import type { LiveSource, Registry } from '../sources/registry.ts';
import { mostBytes, retentionDays } from '../sources/source.ts';
import { deliveryPart } from '../deliveries/store.ts';
import { Undecodable } from '../sources/payload/undecodable.ts';
import type { Arrival } from '../sources/auth/proof.ts';
import type { Vendor } from '../sources/vendors/vendor.ts';
import type { VendorSettings } from '../sources/settings/schema.ts';
import { identityOf, type EarlierReads } from './identity.ts';
import { inflated } from '../sources/payload/inflate.ts';
import { hintNames } from '../signals/words.ts';
import type { IngestMetrics } from '../deliveries/metrics.ts';
import { parsePayload } from '../sources/payload/parse.ts';
import type { Rates } from './rate.ts';
import type { Rejections } from './rejections.ts';

/** Dependencies of the intake; `arrived`: called when a delivery is committed. */
export interface Intake extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'ids' | 'log' | 'publicUrl'> {
  readonly registry: Registry;
  readonly rates: Rates;
  readonly rejections: Rejections;
  readonly metrics: IngestMetrics;
  readonly earlier: EarlierReads;
  /** How many days bodies are kept at least, whatever the source says. */
  readonly leastDays?: number | undefined;
  readonly arrived: (source: LiveSource, accepted: Accepted, at: string) => void;
}

/** An acknowledged delivery. */
export interface Received {
  readonly accepted: Accepted;
  /** Members of the answer that the vendor requires. */
  readonly answer?: object;
}

/** Origin of a request: `test` marks a delivery made by POST /sources/{id}/test. */
type Origin = { readonly address: string; readonly test: boolean };

/**
 * Receives one delivery: authenticate → inflate → delivery key → one committed write. Throws 401, 413 or 503; other
 * faults of an authenticated delivery are found later, when it is normalized.
 */
export async function receive(intake: Intake, source: LiveSource, arrival: Arrival, from: Origin): Promise<Received> {
  const { clock, metrics } = intake;
  const begun = clock.monotonic();
  const { record, vendor } = source;
  if (vendor.absent === true)
    throw new PlatformError('overloaded', `the plugin of the vendor ${vendor.name} is not loaded; send again later`, {
      retry_after: 300,
    });
  const digest = digestOf(arrival.raw);
  const proof = await prove(intake, source, arrival);
  if (proof === undefined) throw refuse(intake, source, from.address, { arrival, digest });
  keepRate(intake, source);
  const body = await metrics.counted(record.vendor, () => {
    intake.store.admit();
    return opened(arrival, mostBytes(record));
  });
  const payload = payloadOf(source, arrival, body);
  const id = idOf(vendor, arrival, payload.small, source.settings);
  const identity = await identityOf(intake, source, { digest, payload: payload.small, id });
  const { strength: auth_strength, scheme: auth_scheme, ...proved } = proof;
  const known = { ...identity, digest, test: from.test, auth_strength, auth_scheme, ...proved };
  const arrived = await toArrived(intake, source, arrival, { ...known, reduced: payload.reduced() });
  const accepting = operation(deliveryPart, 'accept', arrived);
  const [accepted] = await metrics.counted(record.vendor, () => intake.store.write([accepting]));
  metrics.delivered(record.vendor, accepted.status);
  if (accepted.conflict) report(intake, source, accepted);
  metrics.acknowledged(record.vendor, (clock.monotonic() - begun) / 1000, arrival.raw.length);
  if (proof.clock_skew_ms !== undefined) metrics.skewed(Math.abs(proof.clock_skew_ms) / 1000);
  intake.arrived(source, accepted, arrived.received_at);
  const answer = vendor.answer?.(payload.any());
  return answer === undefined ? { accepted } : { accepted, answer };
}

/** Verifies the bytes as received; for a generic source also the inflated bytes. */
async function prove({ registry, clock }: Intake, { record, vendor, settings }: LiveSource, arrival: Arrival) {
  const secrets = registry.secretsOf(record.source_id);
  const verify = (raw: Uint8Array) => authenticate(vendor, { ...arrival, raw }, secrets, settings.auth, clock.now());
  const proof = verify(arrival.raw);
  if (proof !== undefined || record.vendor !== 'generic' || settings.auth.scheme !== 'signature') return proof;
  try {
    const raw = await inflated(arrival.raw, arrival.headers['content-encoding'], mostBytes(record));
    return raw === arrival.raw ? undefined : verify(raw);
  } catch {
    return undefined;
  }
}

function refuse(
  { clock, rejections, metrics }: Intake,
  { record, vendor, settings }: LiveSource,
  address: string,
  { arrival, digest }: { readonly arrival: Arrival; readonly digest: string },
): PlatformError {
  rejections.note(record.source_id, address, { size: arrival.raw.length, digest });
  metrics.delivered(record.vendor, 'rejected');
  metrics.refused(record.vendor, 'authentication');
  return new PlatformError('unauthenticated', faultOf(vendor, arrival, settings.auth, clock.now()));
}

// The vendor's id names one body, so this is a defect of the sender, or somebody took a signed body and another id.
function report({ log, metrics }: Intake, { record }: LiveSource, { delivery_id }: Accepted): void {
  const { source_id, vendor } = record;
  metrics.delivered(vendor, 'conflict');
  log.warn({ source_id, delivery_id }, 'a delivery arrived again with a different body; the first body counts');
}

function keepRate({ rates, metrics }: Intake, { record }: LiveSource): void {
  const wait = rates.take(record);
  if (wait === 0) return;
  metrics.refused(record.vendor, 'rate');
  // Some vendors do not send again after 429; all do after 503.
  throw new PlatformError('overloaded', 'the source exceeds its rate limit; send again later', { retry_after: wait });
}

/** Inflates the body, or returns why that fails: the pipeline later reports the reason and keeps the delivery. */
async function opened({ raw, headers }: Arrival, limit: number): Promise<Uint8Array | Undecodable> {
  try {
    return await inflated(raw, headers['content-encoding'], limit);
  } catch (error) {
    if (error instanceof Undecodable) return error;
    throw error;
  }
}

/** A body that was parsed, or why it could not be. */
type Reading = { readonly value: unknown } | { readonly value: undefined; readonly unread: string };

function payloadOf({ vendor }: LiveSource, arrival: Arrival, body: Uint8Array | Undecodable) {
  let parsed: Reading | undefined;
  const get = (): Reading => (parsed ??= readingOf(vendor, arrival, body));
  return {
    /** Undefined for a body that is large or cannot be read. */
    small: (): unknown => (body instanceof Undecodable || body.length > parsedBytes ? undefined : get().value),
    /** Undefined for a body that cannot be read, or that is not needed now. */
    any: (): unknown => (vendor.reduce === undefined && vendor.answer === undefined ? undefined : get().value),
    /**
     * Value to store instead of the received bytes; undefined when these may be stored. Of a body that cannot be read, and
     * may contain what must not be stored, only the reason is stored, as a text.
     */
    reduced(): unknown {
      if (vendor.reduce === undefined) return undefined;
      const reading = get();
      return 'unread' in reading ? reading.unread : vendor.reduce(reading.value);
    },
  };
}

function readingOf(vendor: Vendor, arrival: Arrival, body: Uint8Array | Undecodable): Reading {
  try {
    if (body instanceof Undecodable) throw body;
    const parse = (part: Uint8Array): unknown => parsePayload(part, vendor.limits.keys);
    return { value: vendor.decode?.({ ...arrival, raw: body }, parse) ?? parse(body) };
  } catch (error) {
    return { value: undefined, unread: error instanceof Undecodable ? error.reason : 'unknown_shape' };
  }
}

type Known =
  | 'delivery_key'
  | 'stable'
  | 'digest'
  | 'test'
  | 'auth_strength'
  | 'auth_scheme'
  | 'secret_version'
  | 'clock_skew_ms';

const dayMs = 86_400_000;

async function toArrived(
  { clock, ids, leastDays = 0 }: Intake,
  { record, vendor, settings }: LiveSource,
  arrival: Arrival,
  { reduced, ...known }: Pick<Arrived, Known> & { readonly reduced: unknown },
): Promise<Arrived> {
  const now = clock.now();
  const { 'content-encoding': encoding, ...plain } = keptHeaders(arrival, vendor, settings);
  return {
    ...known,
    delivery_id: ids('dlv'),
    source_id: record.source_id,
    vendor: record.vendor,
    received_at: timestamp(now),
    method: arrival.method,
    headers: reduced === undefined && encoding !== undefined ? { ...plain, 'content-encoding': encoding } : plain,
    // The members that name a subject, or the call that is reported on.
    query: pick(arrival.query, vendor.reports === true ? ['key'] : hintNames),
    size: arrival.raw.length,
    keep_until: timestamp(now + Math.max(retentionDays(record), leastDays) * dayMs),
    body: await storedBody(arrival.raw, encoding, reduced),
  };
}

const zip = promisify(gzip);
const worthZipping = 4096;

// The copy owns its memory: sending a slice to the writer would send the whole pool.
async function storedBody(raw: Uint8Array, encoding: string | undefined, reduced: unknown): Promise<Arrived['body']> {
  if (reduced !== undefined) return { form: 'reduced', bytes: new Uint8Array(Buffer.from(JSON.stringify(reduced))) };
  if (raw.length < worthZipping || encoding !== undefined) return { form: 'raw', bytes: new Uint8Array(raw) };
  return { form: 'gzip', bytes: new Uint8Array(await zip(raw, { level: 1 })) };
}

const always = ['content-type', 'content-encoding', 'user-agent', 'traceparent'];
const longestKept = 1000;

/** Picks the headers to store: never one that authenticates. */
function keptHeaders(arrival: Arrival, vendor: Vendor, settings: VendorSettings): Record<string, string> {
  const names = [...always, ...vendor.keep, ...(settings.delivery_header?.toLowerCase() ?? '').split(' ')];
  return pick(arrival.headers, names);
}

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, Object.hasOwn(values, name) ? values[name] : undefined] as const);
  return Object.fromEntries(
    found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value.slice(0, longestKept).toWellFormed()]])),
  );
}

/** Largest inflated body that is parsed before the acknowledgement. */
const parsedBytes = 256 * 1024;

const longestKey = 200;

/** Reads the id that the vendor gave a delivery. */
function idOf(vendor: Vendor, arrival: Arrival, payload: () => unknown, settings: VendorSettings): string | undefined {
  const own = vendor.deliveryKey(arrival, payload, settings);
  return own !== undefined && own.length > longestKey ? digestOf(own) : own;
}
