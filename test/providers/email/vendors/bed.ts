import type { Adapter, ProviderError, RejectedReason } from '../../../../kernel/adapter.ts';
import type { VendorContract, VendorReply, VendorRequest } from '../../../helpers/vendor.ts';

/** One e-mail as it came out at the vendor, whatever its form: addresses as `address` or `name <address>`. */
export interface Posted {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly reply_to: readonly string[];
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly content: string }[];
}

/** An answer that the vendor documents, and what it means. */
export interface DocumentedAnswer {
  readonly name: string;
  readonly reply: VendorReply;
  readonly outcome: ProviderError['outcome'];
  /** Why it was rejected; absent: the answer does not say. */
  readonly reason?: RejectedReason;
  /** What the message must show beside the status. */
  readonly shows?: string;
}

/** All the tests know of one vendor. */
export interface VendorBed {
  readonly adapter: Adapter;
  config(url: string): object;
  readonly secrets: readonly string[];
  /** Name of the setting that holds the credential a test breaks. */
  readonly credential: string;
  /** Answers as the vendor documents; a request that breaks the contract is refused as it would be. */
  readonly contract: VendorContract;
  /** Reads the e-mail back. */
  posted(request: VendorRequest): Posted;
  /** The id in the contract's answer. */
  readonly id: string;
  readonly success: VendorReply;
  /** Success without the documented id. */
  readonly withoutId: VendorReply;
  readonly answers: readonly DocumentedAnswer[];
}

/** Writes `name <address>` or the address. */
export function shown(address: string, name = ''): string {
  return name === '' ? address : `${name} <${address}>`;
}

/** Splits an address list of the tests: no test name holds a comma outside quotes. */
export function split(list: string | undefined): string[] {
  if (list === undefined) return [];
  return [...list.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/gu)].map(([one]) => unquoted(one.trim()));
}

/** Takes the quotes off the name of a mailbox. */
export function unquoted(mailbox: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)" (<.*>)$/u.exec(mailbox);
  return quoted === null ? mailbox : `${(quoted[1] ?? '').replaceAll(/\\(.)/gu, '$1')} ${quoted[2] ?? ''}`;
}
