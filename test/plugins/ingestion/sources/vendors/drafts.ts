import { expect } from 'chai';
import { vendorOf } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import type { Arrival } from '../../../../../plugins/ingestion/sources/auth/proof.ts';
import type { Draft, Vendor } from '../../../../../plugins/ingestion/sources/vendors/vendor.ts';
import type { AuthSettings, VendorSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';
import type { VendorName } from '../../../../../plugins/ingestion/signals/words.ts';

/** A payload of a vendor and the members that its first draft must have. */
export interface DraftRow {
  readonly name: string;
  readonly payload: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly map?: VendorSettings['map'];
  readonly expected: Partial<Record<keyof Draft, unknown>>;
}

/** Reads a payload as a vendor does, with the settings of a source that asks for nothing. */
export function draftsOf(
  vendor: VendorName,
  payload: unknown,
  headers: DraftRow['headers'] = {},
  map: DraftRow['map'] = undefined,
): readonly Draft[] {
  const settings = { auth: { scheme: 'url' }, ...(map === undefined ? {} : { map }) } as VendorSettings;
  return vendorOf(vendor).normalize({ payload, headers, query: {}, settings });
}

/** Holds a vendor to a table of payloads. */
export function itReads(vendor: VendorName, rows: readonly DraftRow[]): void {
  for (const { name, payload, headers, map, expected } of rows)
    it(name, () => {
      const [draft] = draftsOf(vendor, payload, headers, map);
      for (const [member, value] of Object.entries(expected))
        expect(draft?.[member as keyof Draft], member).to.deep.equal(value);
    });
}

/** Holds a vendor to refuse payloads as of an unknown shape. */
export function itRefuses(vendor: VendorName, payloads: readonly unknown[], headers: DraftRow['headers'] = {}): void {
  for (const payload of payloads)
    it(`does not know ${JSON.stringify(payload)}`, () => {
      expect(() => draftsOf(vendor, payload, headers))
        .to.throw()
        .with.property('reason', 'unknown_shape');
    });
}

/** Makes a request as it arrives at a hook. */
export function arrivalOf(body: string | Uint8Array, headers: Arrival['headers'] = {}, more: Partial<Arrival> = {}) {
  const raw = typeof body === 'string' ? Buffer.from(body) : body;
  return { method: 'POST', headers, query: {}, raw, ...more } as const satisfies Arrival;
}

/** Finds the id of a delivery as a vendor does. */
export function keyOf(vendor: VendorName, payload: unknown, headers: Arrival['headers'] = {}, settings: object = {}) {
  return vendorOf(vendor).deliveryKey(arrivalOf('', headers), () => payload, settings as VendorSettings);
}

/** Decodes a body as a vendor does, with plain JSON as the form of its payload. */
export function decoded(vendor: VendorName, arrival: Arrival): unknown {
  return vendorOf(vendor).decode?.(arrival, (bytes) => JSON.parse(Buffer.from(bytes).toString()) as unknown);
}

/** Reads a text to paste, by its title. */
export function pasted(vendor: Vendor, title: string, auth: AuthSettings): string {
  const { snippets } = vendor.setup({ url: 'https://orb.example/hooks/t', secret: 's3cret', auth });
  return snippets.find((one) => one.title === title)?.text ?? '';
}
