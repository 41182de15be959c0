import { sep } from 'node:path';
import { encodeBase64 } from '../format/base64.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import { ReceiptSet, type SetClaim } from '../verifier/receipt-set.ts';
import { shardOf } from '../verifier/position.ts';
import { worstOf, type Overall, type Report } from '../verifier/report.ts';
import type { OnProgress } from '../../../kernel/index.ts';
import type { Trust } from '../verifier/trust.ts';
import { verify } from '../verifier/verify.ts';
import { countReceipts, exportedReceipts, looseReceipts, readManifest, type ReadManifest } from './folder.ts';
import { receiptPath } from './manifest.ts';

/** The report on a folder of receipts. */
export type FolderReport = Awaited<ReturnType<typeof verifyFolder>>;

interface FolderOptions extends Pick<SetClaim, 'seen'> {
  readonly verifySignature?: VerifySignature;
  /** Receipts that count for nothing because their key was revoked are a limit, and no failure. */
  readonly allowRevoked?: boolean;
  /** Receives how many receipts are verified. */
  readonly progress?: OnProgress | undefined;
}

const mostRejected = 100;

/** Verifies every receipt of a folder, an export or not, and the relations between them. Reads one file at a time. */
export async function verifyFolder(folder: string, trust: Trust, asked: FolderOptions = {}) {
  const { allowRevoked = false, progress, seen, ...options } = asked;
  const manifest = await readManifest(folder);
  const files = manifest === undefined ? looseReceipts(folder) : exportedReceipts(folder, manifest.shards);
  const pinned = (trust.policy?.logs ?? []).map(({ name }) => name);
  const together = new ReceiptSet({ ...manifest, pinned, ...(seen === undefined ? {} : { seen }) });
  // The first of the files that were not verified: the check that failed, or the required check that was not possible.
  const rejected: Readonly<{ path: string; exit: Report['exit']; why: string }>[] = [];
  const exits = new Set<Report['exit']>();
  const total = progress === undefined ? 0 : await countReceipts(folder, manifest !== undefined);
  let [read, verified] = [0, 0];
  for await (const { path, text } of files) {
    const report = stored(verify(text, trust, options), path, manifest);
    together.take(report);
    progress?.(++read, total);
    if (report.place?.revoked === true && report.exit === 4) continue;
    exits.add(report.exit);
    if (report.exit === 0) verified++;
    else if (rejected.length < mostRejected) rejected.push({ path, exit: report.exit, why: reasonOf(report) });
  }
  const { checkpoints, consistent, receipts, revoked: revokedOf, set } = together.report();
  if (receipts === 0) exits.add(3);
  exits.add(set.exit);
  // Each at the verified checkpoint that the receipts show; `root`: base64 of 32 bytes.
  const logs = checkpoints.map(({ origin, root, size }) => {
    return { origin, size: Number(size), root: encodeBase64(root), revoked: revokedOf.get(origin) ?? 0 };
  });
  const revoked = logs.reduce((sum, log) => sum + log.revoked, 0);
  if (revoked > 0 && !allowRevoked) exits.add(4);
  const exit = worstOf(exits);
  const worthless = `${revoked} receipt(s) are not valid, because their key was revoked at or before their position`;
  const limits = [...set.limits, ...(revoked === 0 ? [] : [worthless])];
  const accepted: Overall = limits.length > 0 ? 'VERIFIED-WITH-LIMITS' : 'VERIFIED';
  const refused: Overall = receipts === 0 ? 'NOTHING-TO-VERIFY' : 'REJECTED';
  return {
    overall: exit === 0 ? accepted : refused,
    // `revoked`: how many are whole, and count for nothing because their key was revoked at or before their position.
    ...{ exit, receipts, verified, revoked, rejected, checks: set.checks, limits, logs, consistent },
  };
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
