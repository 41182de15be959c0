import { sep } from 'node:path';
import { encodeBase64 } from '../format/base64.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import { ReceiptSet, type SetClaim } from '../verifier/receipt-set.ts';
import { shardOf } from '../verifier/position.ts';
import { worstOf, type Overall, type Report } from '../verifier/report.ts';
import type { OnProgress } from '../../../kernel/index.ts';
import type { Trust } from '../verifier/trust.ts';
import { DecisionSet } from '../verifier/decision-set.ts';
import { examine } from '../verifier/verify.ts';
import {
  countReceipts,
  exportedReceipts,
  looseReceipts,
  readManifest,
  type ReadManifest,
  type ReceiptFile,
} from './folder.ts';
import { receiptPath } from './manifest.ts';

/** The report on a folder of receipts. */
export type FolderReport = Awaited<ReturnType<typeof verifyReceipts>>;

/** Options for verifying a folder. */
export interface FolderOptions extends Pick<SetClaim, 'seen'> {
  readonly verifySignature?: VerifySignature;
  /** Receipts that count for nothing because their key was revoked are a limit, and no failure. */
  readonly allowRevoked?: boolean;
  /** Receives how many receipts are verified. */
  readonly progress?: OnProgress | undefined;
}

const mostRejected = 100;

/** Verifies every receipt of a folder, an export or not, and the relations between them. Reads one file at a time. */
export async function verifyFolder(
  folder: string,
  trust: Trust,
  asked: FolderOptions = {},
): ReturnType<typeof verifyReceipts> {
  const manifest = await readManifest(folder);
  const files = manifest === undefined ? looseReceipts(folder) : exportedReceipts(folder, manifest.shards);
  const total = asked.progress === undefined ? 0 : await countReceipts(folder, manifest !== undefined);
  return verifyReceipts(files, manifest, trust, asked, total);
}

/** Verifies receipts as they come, in the order of their logs, and the relations between them; `total`: for the progress. */
export async function verifyReceipts(
  files: AsyncIterable<ReceiptFile>,
  manifest: ReadManifest | undefined,
  trust: Trust,
  { allowRevoked = false, progress, seen, ...options }: FolderOptions = {},
  total = 0,
) {
  const pinned = (trust.policy?.logs ?? []).map(({ name }) => name);
  const together = new ReceiptSet({ ...manifest, pinned, ...(seen === undefined ? {} : { seen }) });
  // The first of the files that were not verified: the check that failed, or the required check that was not possible.
  const rejected: Readonly<{ path: string; exit: Report['exit']; why: string }>[] = [];
  const exits = new Set<Report['exit']>();
  const decisions = new DecisionSet(allowRevoked);
  const reject = (file: (typeof rejected)[number]): void =>
    void (rejected.length < mostRejected && rejected.push(file));
  let [read, verified] = [0, 0];
  for await (const { path, text } of files) {
    const { report: own, statement } = examine(text, trust, options);
    const report = stored(own, path, manifest);
    together.take(report);
    decisions.take(path, { report, statement }).forEach(reject);
    progress?.(++read, total);
    if (report.place?.revoked === true && report.exit === 4) continue;
    exits.add(report.exit);
    if (report.exit === 0) verified++;
    else reject({ path, exit: report.exit, why: reasonOf(report) });
  }
  decisions.end().forEach(reject);
  const { checkpoints, consistent, receipts, revoked: revokedOf, set } = together.report();
  const approvals = decisions.report();
  for (const one of [set.exit, approvals.exit, receipts === 0 ? 3 : 0] as const) exits.add(one);
  // Each at the verified checkpoint that the receipts show; `root`: base64 of 32 bytes.
  const logs = checkpoints.map(({ origin, root, size }) => {
    return { origin, size: Number(size), root: encodeBase64(root), revoked: revokedOf.get(origin) ?? 0 };
  });
  const revoked = logs.reduce((sum, log) => sum + log.revoked, 0);
  if (revoked > 0 && !allowRevoked) exits.add(4);
  const exit = worstOf(exits);
  const worthless = `${revoked} receipt(s) are not valid, because their key was revoked at or before their position`;
  const limits = [...set.limits, ...approvals.limits, ...(revoked === 0 ? [] : [worthless])];
  return {
    overall: overallOf(exit, receipts, limits),
    // `revoked`: how many are whole, and count for nothing because their key was revoked at or before their position.
    ...{ exit, receipts, verified, revoked, rejected, limits, logs, consistent },
    checks: [...set.checks, ...approvals.checks],
  };
}

function overallOf(exit: Report['exit'], receipts: number, limits: readonly string[]): Overall {
  if (exit !== 0) return receipts === 0 ? 'NOTHING-TO-VERIFY' : 'REJECTED';
  return limits.length > 0 ? 'VERIFIED-WITH-LIMITS' : 'VERIFIED';
}

// Check the file name too, because users find a receipt by the file that has its id.
function stored(report: Report, path: string, manifest: ReadManifest | undefined): Report {
  const { place, values } = report;
  if (manifest === undefined || place === undefined || values === undefined) return report;
  const row = { idx: Number(place.index), receipt_id: values.receipt_id };
  const due = receiptPath(shardOf(place.checkpoint.origin), row);
  if (path.split(sep).join('/') === due) return report;
  return { ...report, exit: 1, overall: 'REJECTED', hint: `it contains the receipt that belongs to ${due}` };
}

function reasonOf({ checks, hint }: Report): string {
  const failed = checks.filter(({ result }) => result === 'fail');
  const shown = failed.length > 0 ? failed : checks.filter(({ result }) => result === 'not_checked');
  return hint ?? shown.map(({ detail = 'failed', name }) => `${name}: ${detail}`).join('; ');
}
