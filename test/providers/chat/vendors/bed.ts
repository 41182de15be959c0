import type { Adapter, ProviderError, RejectedReason } from '../../../../kernel/adapter.ts';
import type { VendorContract, VendorReply, VendorRequest } from '../../../helpers/vendor.ts';

/** An answer that the vendor documents, and what it means. */
export interface DocumentedAnswer {
  readonly name: string;
  readonly reply: VendorReply;
  readonly outcome: ProviderError['outcome'];
  /** Of a rejection; absent: it has none. */
  readonly reason?: RejectedReason | undefined;
  /** What the message must show beside the status. */
  readonly shows?: string;
}

/** A message as it came out at the vendor. */
export interface Posted {
  /** The channel as the vendor knows it; absent: its address is that of the request. */
  readonly channel?: string | undefined;
  readonly text: string;
  readonly thread?: string | undefined;
}

/** All the tests know of one vendor of chat messages. */
export interface ChatBed {
  readonly adapter: Adapter;
  /** A configuration with the channel `ops` and the person `ada`. */
  config(url: string): object;
  readonly secrets: readonly string[];
  /** Answers as the vendor documents; a request that breaks the contract is refused as it would be. */
  readonly contract: VendorContract;
  readonly success: VendorReply;
  /** What a run of the good message answers. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** A success without the documented proof; absent: the status alone is the proof. */
  readonly withoutProof?: VendorReply;
  /** Where the vendor documents these answers, and when that was read. */
  readonly source: string;
  readonly answers: readonly DocumentedAnswer[];
  /** Reads the message back. */
  posted(request: VendorRequest): Posted;
}
