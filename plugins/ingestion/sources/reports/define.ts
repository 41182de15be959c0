import { digest, given } from '../../../../kernel/index.ts';
import { deliveryStates, type DeliveryState } from '../../../runtime/contract.ts';
import type { Arrival } from '../auth/proof.ts';
import { withoutNul } from '../payload/parse.ts';
import { Undecodable } from '../payload/undecodable.ts';
import { defineVendor, quiet, type Draft, type Vendor } from '../vendors/vendor.ts';

/** What a vendor says of one message, or of one part of it. */
export interface DeliveryReport {
  /** Our key, as the vendor gives it back; default: the one in the address. */
  readonly key?: string | undefined;
  /** The vendor's id of the message. */
  readonly vendor_id?: string | undefined;
  /** What is reported on: a part of a long message, or one of several recipients. Absent: the whole message. */
  readonly part?: string | undefined;
  readonly state: DeliveryState;
  /** When it happened, ms since 1970; absent: at the arrival of the report. */
  readonly at?: number | undefined;
  /** The vendor's code. */
  readonly code?: string | undefined;
}

type Chosen = 'auth' | 'decode' | 'deliveryKey' | 'keep' | 'limits' | 'methods' | 'signature' | 'version';

/** What an author writes of a vendor's delivery reports. */
export interface ReportsDefinition
  extends Pick<Vendor, 'name' | 'schemes' | 'fixture' | 'setup'>, Partial<Pick<Vendor, Chosen>> {
  /** Reads the reports of a body: JSON, or the fields of a form or of the query. Pure; an unknown body holds none. */
  read(body: unknown, from: Pick<Arrival, 'headers' | 'query'>): readonly DeliveryReport[];
}

/** Defines a vendor of delivery reports: how they are authenticated and read. */
export function defineReports({ read, ...rest }: ReportsDefinition): Vendor {
  return defineVendor({
    version: 1,
    limits: { bytes: 256 * 1024, keys: 10_000 },
    decode,
    // The address says which call a body concerns.
    deliveryKey: ({ raw, query }) => `${digest(raw)} ${query['key'] ?? ''}`,
    ...rest,
    reports: true,
    normalize: ({ payload, headers, query }) =>
      read(payload, { headers, query }).map((report) => draftOf(report, query['key'])),
  });
}

function decode({ method, headers, raw }: Arrival, parse: (bytes: Uint8Array) => unknown): unknown {
  const type = (headers['content-type'] ?? '').toLowerCase();
  if (method !== 'GET' && !type.startsWith('application/x-www-form-urlencoded')) return parse(raw);
  return fieldsOf(raw);
}

/** Reads the fields of a form or a query; the first of a name counts. */
export function fieldsOf(raw: Uint8Array): Readonly<Record<string, string>> {
  const pairs = [...new URLSearchParams(Buffer.from(raw).toString())].reverse();
  return Object.fromEntries(pairs.map(([name, value]) => [name, withoutNul(value)]));
}

/** Identifies a message by our key. */
export function episodeOfKey(key: string): string {
  return `key:${key}`;
}

/** Identifies a message by the vendor's id, when the vendor does not give our key back. */
export function episodeOfId(vendorId: string): string {
  return `id:${vendorId}`;
}

const keyForm = /^[a-z2-7]{52}$/;

function draftOf({ vendor_id, part, state, at, code, ...report }: DeliveryReport, addressed?: string): Draft {
  if (!deliveryStates.includes(state))
    throw new Undecodable('unknown_shape', `${String(state)} is no state of a delivery`);
  const key = [report.key, addressed].find((one) => one !== undefined && keyForm.test(one));
  if (key === undefined && vendor_id === undefined)
    throw new Undecodable('unknown_shape', 'the report names no message: neither our key nor an id of the vendor');
  return {
    ...quiet,
    type: 'orb.signal.delivery',
    vendor_type: code === undefined ? state : `${state} ${code}`,
    title: state,
    occurred_at: at,
    vendor_event_id: vendor_id,
    episode_key: key === undefined ? episodeOfId(vendor_id ?? '') : episodeOfKey(key),
    labels: given({
      state,
      key,
      part: part?.slice(0, 256),
      code: code?.slice(0, 256),
      vendor_id: vendor_id?.slice(0, 256),
    }),
  };
}
