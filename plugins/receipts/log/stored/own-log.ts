import { equalBytes, hashLeaf } from '../pure/hashing.ts';
import type { LogReads } from './tables.ts';
import { nativeSha256 } from './native-sha.ts';
import { storedRoot } from './read-proof.ts';
import { conclude, type Check, type Place, type Report } from '../../verifier/report.ts';

/**
 * Adds to a report whether the log of this very server holds the receipt. What its keys have signed may stand in a
 * branch of the log, or in a part that was lost when a backup was put back: the signatures do not show that.
 */
export function withOwnLog(report: Report, reads: LogReads): Report {
  const { checks, place, values } = report;
  // Nothing that a trusted key has signed.
  if (values === undefined) return report;
  const concluded = conclude([...checks, checkOwnLog(values.origin, place, reads)], values);
  return place === undefined ? concluded : { ...concluded, place };
}

const name = 'in_this_log';

function checkOwnLog(origin: string, place: Place | undefined, reads: LogReads): Check {
  const row = reads.logs().find((log) => log.origin === origin);
  if (row === undefined) return absent(`the server holds no log ${origin}`);
  if (place === undefined) return { name, result: 'not_checked', detail: 'its place in the log was not proved' };
  const { checkpoint, index, leaf } = place;
  if (index >= BigInt(row.size))
    return absent(`the log has ${row.size} entries, and the receipt would be entry ${index}`);
  const [entry] = reads.entries(row.log, Number(index), 1);
  if (entry === undefined || !equalBytes(hashLeaf(entry, nativeSha256), leaf))
    return absent(`entry ${index} is another`);
  // A checkpoint of more entries was lost with them, and the entry is still there.
  if (checkpoint.size > BigInt(row.size)) return { name, result: 'pass' };
  if (equalBytes(storedRoot(reads, row.log, Number(checkpoint.size)), checkpoint.root)) return { name, result: 'pass' };
  // A log that is damaged itself says nothing of others.
  if (!equalBytes(storedRoot(reads, row.log, row.size), row.root))
    return { name, result: 'not_checked', detail: 'the log of the server is damaged' };
  return absent(`the checkpoint of ${checkpoint.size} entries is of a branch of the log`);
}

function absent(why: string): Check {
  return { name, result: 'fail', detail: `not in this log: ${why}` };
}
