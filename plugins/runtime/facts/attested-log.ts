import { type Awaitable, defineService } from '../../../kernel/index.ts';

/** How many entries of each shard of the log, by its name. */
export type LogSizes = Readonly<Record<string, number>>;

/** One entry of the log: what its row holds, and the statement's predicate when it is no run. */
export interface AttestedRow {
  readonly shard: string;
  readonly index: number;
  readonly receipt_id: string;
  readonly kind: string;
  readonly run_id: string | null;
  /** Null: the installation's own. */
  readonly tenant: string | null;
  readonly orbiset_id: string | null;
  readonly orb_id: string | null;
  readonly status: string | null;
  /** RFC 3339 UTC. */
  readonly timestamp: string;
  readonly predicate?: Readonly<Record<string, unknown>>;
  /** Scopes that read it when it belongs to no tenant. */
  readonly scopes: readonly string[];
}

/** The log as events are derived from it; shards only grow. */
export interface AttestedLog {
  /** Committed entries of each shard, now. */
  sizes(): Awaitable<LogSizes>;
  /** Entries from one set of sizes up to another, each shard in its order, at most `limit`. */
  rows(from: LogSizes, to: LogSizes, limit: number): Promise<readonly AttestedRow[]>;
  /** Finds the place of a receipt. */
  place(receiptId: string): Awaitable<{ readonly shard: string; readonly index: number } | undefined>;
  /** Calls back soon after entries were added; the function that is returned ends that. */
  onAppend(listener: () => void): () => void;
}

/** The token of the port: the plugin that keeps receipts shows its log. */
export const attestedLog = defineService<AttestedLog>('attested_log');
