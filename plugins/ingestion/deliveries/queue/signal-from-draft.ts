import { createHash } from 'node:crypto';
import { given } from '../../../../kernel/index.ts';
import type { Signal, SubjectHint } from '../../signals/signal.ts';
import { cut, line } from '../../sources/vendors/read.ts';
import { severityOf } from '../../sources/vendors/severity.ts';
import type { Draft } from '../../sources/vendors/vendor.ts';
import { isNewEvent } from '../delivery.ts';
import type { Arrived } from '../writing.ts';
import { ownMark } from '../../sources/vendors/own-metrics.ts';
import { type HintName, hintNames, type Severity } from '../../signals/words.ts';

/** A signal before it is recorded: it gets its id then. */
export type Unnumbered = Omit<Signal, 'signal_id'>;

/** The members of a delivery that its signals use. */
export type DeliveryFacts = Omit<Arrived, 'stable' | 'body' | 'size' | 'keep_until'>;

/** Most time that a vendor's clock may be ahead; beyond it the time of receipt counts. */
const aheadMs = 300_000;

/** Makes a signal from a draft: adds its identity and cuts texts that are too long. */
export function complete(
  draft: Draft,
  ordinal: number,
  delivery: DeliveryFacts,
  defaults: { readonly severity: Severity; readonly version: number },
): Unnumbered {
  const { vendor, source_id, received_at } = delivery;
  const received = Date.parse(received_at);
  // Bytes that came before hold the time of an earlier event.
  const told = isNewEvent(delivery.delivery_key) && !endsAtOwnTime(draft) ? undefined : draft.occurred_at;
  const happened = told !== undefined && told <= received + aheadMs ? told : received;
  const labels = draft.labels ?? {};
  return given({
    delivery_id: delivery.delivery_id,
    source_id,
    delivery_key: delivery.delivery_key,
    ordinal,
    type: draft.type,
    vendor,
    vendor_event_id: optional(draft.vendor_event_id, (id) => cut(id, 200)),
    vendor_type: line(draft.vendor_type, 100),
    occurred_at: iso(happened),
    received_at,
    starts_at: optional(draft.starts_at, iso),
    ends_at: optional(draft.ends_at, iso),
    state: draft.state,
    severity: draft.severity ?? severityOf(draft.severity_text) ?? quietSeverity(draft) ?? defaults.severity,
    severity_text: optional(draft.severity_text, (word) => line(word, 64)),
    title: line(draft.title, 200),
    summary: optional(draft.summary, (text) => cut(text.toWellFormed(), 2000)),
    url: optional(draft.url, (url) => (/^https?:\/\//i.test(url) ? cut(url, 2000) : undefined)),
    episode_key: cut(draft.episode_key.toWellFormed(), 500),
    fingerprint: fingerprintOf(source_id, vendor, draft.episode_key),
    labels,
    annotations: draft.annotations ?? {},
    hints: hintsOf(draft, delivery),
    outsider_labels: draft.outsider ?? false,
    value: draft.value,
    run_id: optional(labels['run_id'], (id) => (/^run_[0-9A-HJKMNP-TV-Z]{26}$/.test(id) ? id : undefined)),
    traceparent: labels['traceparent'] ?? delivery.headers['traceparent'],
    auth_strength: draft.strength ?? delivery.auth_strength,
    auth_scheme: delivery.auth_scheme,
    secret_version: delivery.secret_version,
    clock_skew_ms: delivery.clock_skew_ms,
    body_digest: delivery.digest,
    incomplete: draft.incomplete ?? false,
    normalizer_version: defaults.version,
    test: delivery.test || (draft.test ?? false),
    own: isMarked(draft) ? true : undefined,
  });
}

// A resolution with an end of its own stays the same resolution.
function endsAtOwnTime({ state, occurred_at }: Draft): boolean {
  return state === 'resolved' && occurred_at !== undefined;
}

// A mark that outsiders can write would let them hide an alert.
function isMarked({ labels = {}, outsider = false, own = false }: Draft): boolean {
  return own || (!outsider && Object.hasOwn(labels, ownMark.name) && labels[ownMark.name] === ownMark.value);
}

// A signal that opens nothing does not take the source's default severity.
function quietSeverity({ state }: Draft): Severity | undefined {
  return state === 'info' ? 'info' : undefined;
}

/** Hashes the identity of an alert, or of a message: never includes state, severity, time or title. */
export function fingerprintOf(sourceId: string, vendor: string, episodeKey: string): string {
  return createHash('sha256')
    .update(JSON.stringify([sourceId, vendor, episodeKey]))
    .digest('hex');
}

function hintsOf(draft: Draft, { query, auth_strength }: DeliveryFacts): readonly SubjectHint[] {
  const outsider = draft.outsider ?? false;
  const own = (draft.hints ?? []).map(({ name, value }) => ({
    name,
    value: cut(value, 200),
    origin: 'label',
    outsider,
  }));
  const labels = named(draft.labels ?? {}).map((hint) => ({ ...hint, origin: 'label', outsider }));
  // The URL alone is no proof, so its query may name a subject only when the delivery is otherwise authenticated.
  const asked = auth_strength === 'strong' || auth_strength === 'shared_secret' ? named(query) : [];
  return [...own, ...labels, ...asked.map((hint) => ({ ...hint, origin: 'query', outsider: true }))] as SubjectHint[];
}

function named(values: Readonly<Record<string, string>>): { readonly name: HintName; readonly value: string }[] {
  return hintNames.flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || value === '' ? [] : [{ name, value: cut(value, 200) }];
  });
}

function optional<T, R>(value: T | undefined, map: (value: T) => R): R | undefined {
  return value === undefined ? undefined : map(value);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
