import { expect } from 'chai';
import { compile } from '../../../../kernel/index.ts';
import { ProviderError, type Adapter, type ProviderHandle } from '../../../../kernel/adapter.ts';
import { createLog, silentLog } from '../../../../kernel/tools/log.ts';
import { testKey } from '../../../helpers/conformance.ts';
import { startVendor, type VendorContract, type VendorReply, type VendorServer } from '../../../helpers/vendor.ts';

/** An answer that the vendor documents, and what it means. */
export interface DocumentedAnswer {
  readonly name: string;
  readonly reply: VendorReply;
  readonly outcome: ProviderError['outcome'];
  readonly reason?: ProviderError['reason'];
  /** Where the vendor says so. */
  readonly source: string;
  /** When that was read. */
  readonly date: string;
}

/** All that the tests know of one vendor. */
export interface PushBed {
  readonly adapter: Adapter;
  config(url: string): object;
  /** The recipient of the tests at the vendor. */
  to(url: string): object;
  /** What no text may hold. */
  readonly secrets: readonly string[];
  /** Answers as the vendor documents; a request that breaks the contract is refused as it would be. */
  readonly contract: VendorContract;
  readonly success: VendorReply;
  /** The id in the answer of the contract. */
  readonly id: string;
  readonly answers: readonly DocumentedAnswer[];
  /** Success in a form that proves no acceptance. */
  readonly unproven: readonly VendorReply[];
}

/** The text of a good message. */
export const text = { title: 'Build', body: 'The build failed.' };

/** Texts that use every input. */
export const full = {
  title: 'Grüße – 100 % “quoted” & <b>',
  body: 'Hello\nWörld\t👩‍👩‍👧‍👦\n\u200fשלום',
  url: 'https://example.com/runs/1?a=b#c',
  data: { run: 'run_1', 'an.other': '"quoted"' },
  urgency: 'high',
  ttl_s: 60,
  collapse: 'build-1',
  overflow: 'truncate',
};

/** One vendor and the adapters opened to it; both are closed after each test. */
export interface Stage {
  vendor(options?: { tls?: boolean }): Promise<VendorServer>;
  open(config: object): Promise<ProviderHandle>;
}

/** Declares, inside a `describe`, the cleaning up after each test. */
export function createStage(bed: Pick<PushBed, 'adapter' | 'contract'>): Stage {
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
      const handle = await opened(bed.adapter, config);
      handles.push(handle);
      return handle;
    },
  };
}

/** Opens an adapter with a configuration that its schema takes. */
export async function opened(adapter: Adapter, config: object, stateDir = '/nowhere'): Promise<ProviderHandle> {
  const filled = structuredClone(config);
  expect(compile(adapter.config)(filled)).to.deep.equal([]);
  return adapter.open({ config: filled as never, signal: noSignal(), stateDir, log: silentLog });
}

/** What a call needs beside its inputs. */
interface Sending {
  readonly signal?: AbortSignal;
  readonly key?: string;
  readonly log?: typeof silentLog;
}

/** Makes one call. */
export async function send(
  handle: ProviderHandle,
  inputs: object,
  { key = testKey('p'), log = silentLog, signal = noSignal() }: Sending = {},
): Promise<Record<string, unknown>> {
  return handle.execute(inputs as Record<string, unknown>, { signal, idempotency_key: key, log });
}

/** Answers the ProviderError with which a call ends. */
export async function failure(call: Promise<unknown> | undefined): Promise<ProviderError> {
  const result = await call?.catch((error: unknown) => error);
  if (result instanceof ProviderError) return result;
  return expect.fail(`no ProviderError: ${String(result)} ${JSON.stringify(result)}`);
}

/** A signal that never aborts. */
export function noSignal(): AbortSignal {
  return new AbortController().signal;
}

/** A log and the lines that it took. */
export function recordingLog(): { log: typeof silentLog; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog('debug', (line) => lines.push(line)), lines };
}
