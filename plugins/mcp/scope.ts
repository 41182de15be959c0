import type { PluginScope, Principal, RequestInfo } from '../../kernel/index.ts';
import type { ReceiptDocuments } from '../receipts/contract.ts';
import type { Listeners } from './tools/listeners.ts';
import type { ToolLists } from './tools/tool-lists.ts';
import type { Message } from './wire/wire.ts';
import type { Runtime } from '../runtime/contract.ts';

/** What the parts of the plugin share. */
export interface McpScope extends Pick<PluginScope<unknown, never>, 'log' | 'platform' | 'publicUrl'> {
  readonly runtime: Runtime;
  readonly lists: ToolLists;
  readonly listeners: Listeners;
  /** The runs of this process that have no receipt yet, with the ids of the principals that began them. */
  readonly underWay: Map<string, string>;
  /** Version of the program, semver. */
  readonly version: string;
  /** How long a call waits before a task replaces its result, milliseconds. */
  readonly taskAfterMs: number;
  /** How long a call waits for its result, milliseconds. */
  readonly answerWithinMs: number;
  /** Origins of pages that may call, in addition to the own one. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Hosts by which a loopback listener may be called, in addition to its own names. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Reads receipts; absent when the plugin that does is. */
  readonly receipts: ReceiptDocuments | undefined;
  /** Finds the envelope of a receipt. */
  readonly envelopeOf: (receiptId: string) => Promise<object | undefined>;
}

/** One request of a client, read and allowed. */
export interface Request {
  readonly message: Message;
  readonly orbiset_id: string;
  readonly principal: Principal;
  readonly info: RequestInfo;
}
