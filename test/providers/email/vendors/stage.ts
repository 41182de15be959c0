import { expect } from 'chai';
import { compile } from '../../../../kernel/index.ts';
import type { ProviderHandle } from '../../../../kernel/adapter.ts';
import { createLog, silentLog } from '../../../../kernel/tools/log.ts';
import { testKey } from '../../../helpers/conformance.ts';
import { startVendor, type VendorServer } from '../../../helpers/vendor.ts';
import { noSignal } from '../smtp-bed.ts';
import type { VendorBed } from './bed.ts';

/** Inputs of a good e-mail. */
export const inputs = { to: 'ada@example.org', from_address: 'Orb <orb@mg.example.com>', subject: 'Hi', body: 'Hello' };

/** Inputs that use every field. */
export const full = {
  to: 'Ada <ada@example.org>, "Lovelace, \\"A\\"" <al@example.org>',
  cc: 'Žofie Nováková <zofie@example.org>',
  bcc: 'audit@example.org, log@example.org',
  from_address: '"Orb, Inc." <orb@mg.example.com>',
  reply_to: 'a@example.com, B <b@example.com>',
  subject: 'Grüße – 100 % “quoted” & <b>',
  body: 'Hello\r\nWörld\r\n.\r\n',
  html: '<p>Hello "Wörld" &amp;</p>',
  attachments: [
    { filename: 'rechnung "ü".pdf', content_type: 'application/pdf', content_base64: 'JVBERi0xLjcNCg==' },
    { filename: 'data.bin', content_base64: 'AAH+/w0KDQot' },
  ],
};

/** One vendor and the adapters opened to it; both are closed after each test. */
export interface Stage {
  vendor(options?: { tls?: boolean }): Promise<VendorServer>;
  open(config: object): Promise<ProviderHandle>;
}

/** Declares, inside a `describe`, the cleaning up after each test. */
export function createStage(bed: Pick<VendorBed, 'adapter' | 'contract'>): Stage {
  const vendors: VendorServer[] = [];
  const handles: ProviderHandle[] = [];
  afterEach(async () => {
    for (const handle of handles.splice(0)) await handle.close?.();
    for (const vendor of vendors.splice(0)) await vendor.close();
  });
  return {
    async vendor(options) {
      const vendor = await startVendor(bed.contract, options);
      vendors.push(vendor);
      return vendor;
    },
    async open(config) {
      const filled = structuredClone(config);
      expect(compile(bed.adapter.config)(filled)).to.deep.equal([]);
      const scope = { config: filled as never, signal: noSignal(), stateDir: '/nowhere', log: silentLog };
      const handle = await bed.adapter.open(scope);
      handles.push(handle);
      return handle;
    },
  };
}

/** Makes one call with the good e-mail, or others. */
export async function send(
  handle: ProviderHandle,
  {
    given = inputs,
    signal = noSignal(),
    log = silentLog,
  }: { given?: object; signal?: AbortSignal; log?: typeof silentLog } = {},
): Promise<Record<string, unknown>> {
  return handle.execute(given as typeof inputs, { signal, idempotency_key: testKey('v'), log });
}

/** A log and the lines it took. */
export function recordingLog(): { log: typeof silentLog; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog('debug', (line) => lines.push(line)), lines };
}
