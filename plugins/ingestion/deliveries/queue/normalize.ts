import { gunzipSync } from 'node:zlib';
import { inflated } from '../../sources/payload/inflate.ts';
import { parsePayload } from '../../sources/payload/parse.ts';
import type { StoredBody } from '../reading.ts';
import type { LiveSource } from '../../sources/registry.ts';
import { mostBytes } from '../../sources/source.ts';
import { vendorOf } from '../../sources/vendor-list.ts';
import { Undecodable } from '../../sources/payload/undecodable.ts';
import type { Delivery } from '../delivery.ts';
import { complete, type DeliveryFacts, type Unnumbered } from './signal-from-draft.ts';
import type { Severity } from '../../signals/words.ts';
import type { VendorSettings } from '../../sources/settings/schema.ts';

/** Input of the normalizer: plain values that can be sent to a worker. */
export interface Stored {
  readonly delivery: DeliveryFacts;
  readonly body: StoredBody;
  readonly settings: VendorSettings;
  readonly default_severity: Severity;
  /** Bytes of the payload: as received, or the most to which it may inflate. */
  readonly size: number;
  /** Largest inflated body. */
  readonly most_bytes: number;
}

/** Makes the input of the normalizer from a delivery as received and the current settings. */
export function storedOf({ record, settings, view }: LiveSource, delivery: Delivery, body: StoredBody): Stored {
  const most_bytes = mostBytes(record);
  const packed = delivery.headers['content-encoding'] !== undefined;
  const size = packed ? Math.min(most_bytes, delivery.size * 100) : delivery.size;
  return { delivery, body, settings, default_severity: view.policy.default_severity, size, most_bytes };
}

/** Result for a delivery. */
export type Normalized =
  | { readonly signals: readonly Unnumbered[]; readonly version: number }
  | { readonly undecodable: string; readonly detail: string; readonly version: number };

/**
 * Turns a stored delivery into signals; the result depends only on the delivery and the settings. Throws only on a
 * defect.
 */
export async function normalize(stored: Stored): Promise<Normalized> {
  const { delivery, settings, default_severity } = stored;
  const vendor = vendorOf(delivery.vendor);
  const { version } = vendor;
  try {
    const payload = await payloadOf(stored);
    const { headers, query } = delivery;
    const drafts = vendor.normalize({ payload, headers, query, settings });
    const defaults = { severity: default_severity, version };
    return { signals: drafts.map((draft, ordinal) => complete(draft, ordinal, delivery, defaults)), version };
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    return { undecodable: error.reason, detail: error.message, version };
  }
}

async function payloadOf({ delivery, body, most_bytes }: Stored): Promise<unknown> {
  const { vendor: name, method, headers, query } = delivery;
  const vendor = vendorOf(name);
  const parse = (bytes: Uint8Array): unknown => parsePayload(bytes, vendor.limits.keys);
  if (body.form === 'reduced') return reducedPayload(parse(body.bytes));
  const wire = body.form === 'gzip' ? gunzipSync(body.bytes) : body.bytes;
  const raw = await inflated(wire, headers['content-encoding'], most_bytes);
  return vendor.decode === undefined ? parse(raw) : vendor.decode({ method, headers, query, raw }, parse);
}

// The intake stores a text, the reason, in place of a body that it could not read.
function reducedPayload(value: unknown): unknown {
  if (typeof value === 'string') throw new Undecodable(value, 'the body could not be read, and is not stored');
  return value;
}

/** Restores the body as received; undefined when parts that must not be stored were removed. */
export function wireBytes({ form, bytes }: StoredBody): Uint8Array | undefined {
  return form === 'reduced' ? undefined : form === 'gzip' ? gunzipSync(bytes) : bytes;
}
