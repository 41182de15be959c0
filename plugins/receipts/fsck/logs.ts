import type { SealedReport } from './sealed-rows.ts';
import type { Checkpoint } from '../log/pure/note.ts';
import { logsOf, omission, type Expected } from '../verifier/trust-store/known-logs.ts';
import type { Trust } from '../verifier/trust.ts';
import { flawAt, type Flaw, type Known } from './tree.ts';

/** The result of checking one log; without an origin, the result for all logs together. */
export interface LogReport {
  readonly origin?: string;
  readonly checkpoint?: Checkpoint;
  readonly flaws: readonly Flaw[];
  /** How many receipts of a store are whole, and count for nothing because their key was revoked; absent: not counted. */
  readonly revoked?: number;
  /** Result of the check of sealed values, in the report on the store itself. */
  readonly sealed?: SealedReport;
  /** The log could not be read: nothing is known of it. */
  readonly unread?: true;
}

/** What all logs of a check are compared with. */
export interface Comparison extends Known {
  readonly trust: Trust;
  readonly expected: Expected;
}

/** Reports the logs that must exist and are missing: omitting a log may hide its entries. */
export function missingLogs(found: readonly string[], expected: Expected): LogReport[] {
  return logsOf(found, expected)
    .filter((origin) => !found.includes(origin))
    .map((origin) => missingLog(origin, expected));
}

/** Reports one missing log that must exist. */
export function missingLog(origin: string, expected: Expected): LogReport {
  return { origin, flaws: [flawAt('checkpoint', omission(origin, expected), 5)] };
}
