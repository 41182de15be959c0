import type { Awaitable } from '../../../../kernel/index.ts';
import { conclude, fail, pass, unchecked, type Check, type Place, type Report } from '../../verifier/report.ts';
import type { Checkpoint } from '../pure/note.ts';
import { equalBytes, hashLeaf } from '../pure/tree.ts';
import { storedRoot } from './read-proof.ts';
import { nativeSha256, type LogReads, type LogRow } from './tables.ts';

/**
 * Adds to a report whether this server's log contains the receipt. A receipt signed by its keys may be in a branch of
 * the log, or in a part that was lost when a backup was restored: the signatures do not show that.
 */
export async function withOwnLog(report: Report, check: OwnLogCheck): Promise<Report> {
  const { checks, place, values } = report;
  // No trusted key signed anything in the artefact.
  if (values === undefined) return report;
  const concluded = conclude([...checks, await check(values.origin, place)], values);
  return place === undefined ? concluded : { ...concluded, place };
}

/** Says whether an entry is in a log of this server. */
export type OwnLogCheck = (origin: string, place: Place | undefined) => Awaitable<Check>;

const name = 'in_this_log';

/** Looks for an entry in the log of a name. */
export function checkOwnLog(origin: string, place: Place | undefined, reads: LogReads): Check {
  const row = reads.logs().find((log) => log.origin === origin);
  if (row === undefined) return absent(`this server has no log ${origin}`);
  if (place === undefined) return unchecked(name, 'its position in the log was not proved');
  const { checkpoint, index, leaf, others = [] } = place;
  if (index >= BigInt(row.size))
    return absent(`the log has ${row.size} entries, but the receipt claims the position ${index}`);
  const [entry] = reads.entries(row.log, Number(index), 1);
  if (entry === undefined || !equalBytes(hashLeaf(entry, nativeSha256), leaf))
    return absent(`entry ${index} is a different receipt`);
  const checks = [checkpoint, ...others].map((tree) => checkTreeOf(row, tree, reads));
  return checks.find(({ result }) => result !== 'pass') ?? pass(name);
}

function checkTreeOf(row: LogRow, { root, size }: Checkpoint, reads: LogReads): Check {
  // A checkpoint of more entries was lost together with them; the receipt's entry is still in the log.
  if (size > BigInt(row.size) || equalBytes(storedRoot(reads, row.log, Number(size)), root)) return pass(name);
  // A damaged log cannot show that a checkpoint is from a branch.
  if (!equalBytes(storedRoot(reads, row.log, row.size), row.root))
    return unchecked(name, 'the log of the server is damaged');
  return absent(`the checkpoint of ${size} entries belongs to another branch of the log`);
}

function absent(why: string): Check {
  return fail(name, `not in this log: ${why}`);
}

/** Makes the read that says whether an entry is in a log of this server. */
export function ownLogReads(parts: LogReads) {
  return { ownLog: (origin: string, place: Place | undefined) => checkOwnLog(origin, place, parts) };
}
