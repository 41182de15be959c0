import { expect } from 'chai';
import { compile, createLog } from '../../../../kernel/index.ts';
import type { Adapter, ProviderHandle } from '../../../../kernel/adapter.ts';
import type { VendorContract, VendorServer } from '../../../helpers/vendor.ts';
import { noSignal } from '../../email/smtp-bed.ts';
import type { ChatBed, DocumentedAnswer } from '../vendors/bed.ts';

/** A documented answer that may tell when to come again. */
export interface TimedAnswer extends DocumentedAnswer {
  /** Seconds. */
  readonly retry_after?: number;
}

/** A vendor without its connections: it checks requests as the vendor does, and keeps what it took. */
export interface Double {
  readonly contract: VendorContract;
  /** Texts of the messages that exist, in order. */
  readonly messages: readonly string[];
}

/** What more the tests know of a vendor that is kept as a double. */
export interface DoubleBed extends ChatBed {
  readonly answers: readonly TimedAnswer[];
  /** A configuration whose credential the vendor does not know. */
  wrong(url: string): object;
  /** The vendor answers a repeated call with the first message. */
  readonly native: boolean;
  double(): Double;
}

/** Opens an adapter with a configuration that its schema takes. */
export async function opened(adapter: Adapter, config: object): Promise<ProviderHandle> {
  const filled = structuredClone(config);
  const log = createLog('error', () => undefined);
  expect(compile(adapter.config)(filled)).to.deep.equal([]);
  return adapter.open({ config: filled as never, signal: noSignal(), stateDir: '/nowhere', log });
}

/** The JSON body of the newest request that may send. */
export function lastBody(vendor: VendorServer): Record<string, unknown> {
  return JSON.parse(vendor.posts.at(-1)?.body.toString() ?? '{}') as Record<string, unknown>;
}
