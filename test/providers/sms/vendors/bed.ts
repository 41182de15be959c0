import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ProviderError, type Adapter, type ProviderHandle, type RejectedReason } from '../../../../kernel/adapter.ts';
import { compile } from '../../../../kernel/index.ts';
import { createLog } from '../../../../kernel/tools/log.ts';
import { testKey } from '../../../helpers/conformance.ts';
import {
  startVendor,
  type VendorContract,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../../helpers/vendor.ts';

/** One message as it came out at the vendor. */
export interface PostedSms {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly encoding?: string;
  /** In the unit of the vendor. */
  readonly validity?: string | number;
  readonly report_url?: string;
  /** Our key, where the vendor takes one. */
  readonly key?: string;
}

/** An answer that the vendor documents: where, when it was read there, and what it means. */
export interface DocumentedAnswer extends VendorReply {
  readonly name: string;
  readonly source: string;
  readonly read: string;
  readonly outcome: ProviderError['outcome'];
  readonly reason?: RejectedReason;
}

/** All the tests know of one vendor. */
export interface SmsBed {
  readonly adapter: Adapter;
  config(url: string): object;
  readonly secrets: readonly string[];
  /** Name of the setting that holds the credential a test breaks. */
  readonly credential: string;
  /** Answers as the vendor documents; a request that breaks the contract is refused as it would be. */
  readonly contract: VendorContract;
  posted(request: VendorRequest): PostedSms;
  readonly success: VendorReply;
  /** What a success with the key of the tests answers. */
  readonly outputs: object;
  /** Successes that do not prove that the vendor has the message. */
  readonly unproven: readonly VendorReply[];
  readonly answers: readonly DocumentedAnswer[];
}

/** Reads the documented answers of a vendor. */
export function answersOf(vendor: string): readonly DocumentedAnswer[] {
  const path = new URL(`../fixtures/${vendor}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as DocumentedAnswer[];
}

/** The key of the tests. */
export const key = testKey('v');

/** An address for reports with a token, which no text may show. */
export const token = 'whs_8f1c2e7a9b3d4f60';
export const report_url = `https://orb.example.com/hooks/${token}?key=${key}`;

/** Inputs of a good message. */
export const inputs = { to: '+4915123456789', text: 'Hello' };

/** Inputs that use every field. */
export const full = {
  ...{ to: '+4915123456789', text: 'Grüße & 100 % {you}:\n€ 5 + “quoted” = 😀', from: 'alerts' },
  ...{ purpose: 'promotional', max_segments: 3, encoding: 'auto', valid_for_s: 3660 },
};

/** The senders of every provider of the tests. */
export const senders = { default: '+4915100000000', alerts: 'Example' };

/** How one call ended, with all that was logged or thrown. */
export interface Ended {
  readonly outputs?: Record<string, unknown>;
  readonly error?: ProviderError;
  readonly said: string;
}

/** Makes one call. */
export async function send(
  handle: ProviderHandle,
  {
    given = inputs,
    signal = new AbortController().signal,
    reports = true,
  }: { given?: object; signal?: AbortSignal; reports?: boolean } = {},
): Promise<Ended> {
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));
  const context = { signal, idempotency_key: key, log, ...(reports ? { report_url } : {}) };
  try {
    return { outputs: await handle.execute(given as typeof inputs, context), said: lines.join('\n') };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { message, remedy, stack, cause } = error;
    return { error, said: [...lines, message, remedy, stack, String(cause)].join('\n') };
  }
}

/** Makes one call that must fail. */
export async function refused(...call: Parameters<typeof send>): Promise<ProviderError> {
  const { error, outputs } = await send(...call);
  return error ?? expect.fail(`answered ${JSON.stringify(outputs)}`);
}

/** One vendor and the adapters opened to it. */
export interface Stage {
  vendor(): Promise<VendorServer>;
  open(config: object): Promise<ProviderHandle>;
}

/** Declares, inside a `describe`, the cleaning up after each test. */
export function createStage({ adapter, contract }: Pick<SmsBed, 'adapter' | 'contract'>): Stage {
  const vendors: VendorServer[] = [];
  const handles: ProviderHandle[] = [];
  afterEach(async () => {
    for (const handle of handles.splice(0)) await handle.close?.();
    for (const vendor of vendors.splice(0)) await vendor.close();
  });
  return {
    async vendor() {
      const vendor = await startVendor(contract);
      vendors.push(vendor);
      return vendor;
    },
    async open(config) {
      const filled = structuredClone(config);
      expect(compile(adapter.config)(filled)).to.deep.equal([]);
      const signal = new AbortController().signal;
      const log = createLog('silent', () => undefined);
      const handle = await adapter.open({ config: filled as never, signal, stateDir: '/nowhere', log });
      handles.push(handle);
      return handle;
    },
  };
}
