import { join } from 'node:path';
import { encodeBase64 } from '../format/base64.ts';
import { verifySignature } from '../format/ed25519.ts';
import { manifestFile } from '../export/manifest.ts';
import { otherLogs, type ReadManifest } from '../export/folder.ts';
import { verifyFolder, type FolderReport } from '../export/verify-folder.ts';
import { readCheckpoint, type Checkpoint } from '../log/pure/note.ts';
import { shardOf } from '../verifier/position.ts';
import { missingLog, type Comparison, type LogReport } from './logs.ts';
import { logsOf } from '../verifier/trust-store/known-logs.ts';
import { filesSource, inFolder } from './remote-source.ts';
import type { LogSource } from './source.ts';
import { checkTree, flawAt, type Flaw, type Known, type TreeReport } from './tree.ts';

type ExportSource = { readonly folder: string; readonly manifest: ReadManifest };

/**
 * Checks an export: each log from its entries up, every receipt, and the relations between them. The manifest claims
 * which logs there are: the checkpoint in the folder of a log decides which one it is.
 */
export async function checkExport(source: ExportSource, known: Comparison): Promise<LogReport[]> {
  const { folder, manifest } = source;
  const { expected, trust } = known;
  const { origins, shards } = manifest;
  if (shards.length === 0) return [{ flaws: [flawAt(manifestFile, 'lists no log, so there is nothing to check', 3)] }];
  const reports: LogReport[] = [];
  for (const [at, shard] of shards.entries()) reports.push(await checkShard(source, shard, origins[at] ?? '', known));
  const trees = reports.flatMap(({ checkpoint }) => checkpoint ?? []);
  const shown = trees.map(({ origin }) => origin);
  const missing = logsOf([...new Set([...origins, ...shown])], expected).filter((origin) => !shown.includes(origin));
  const receipts = await verifyFolder(folder, trust, { verifySignature });
  const flaws = [...(await unnamed(folder, shards)), ...receiptFlaws(receipts, trees)];
  return [
    ...reports.map((report) => ({ ...report, revoked: revokedIn(receipts, report) })),
    ...missing.map((origin) => missingLog(origin, expected)),
    ...(flaws.length === 0 ? [] : [{ flaws }]),
  ];
}

// `claimed`: the name of its log, as the manifest says.
async function checkShard(of: ExportSource, shard: string, claimed: string, known: Known): Promise<LogReport> {
  const base = `log/${shard}`;
  const source = filesSource(inFolder(join(of.folder, base)));
  const tree = of.manifest.tiles ? await checkTree(source, known) : await withoutTiles(source);
  const flaws = tree.flaws.map(({ where, ...flaw }): Flaw => ({ ...flaw, where: `${base}: ${where}` }));
  const { origin = claimed } = tree.checkpoint ?? {};
  const isDue = tree.checkpoint === undefined || (origin === claimed && shardOf(origin) === shard);
  const what = `belongs to the log ${origin}; the shard ${shard} must show ${claimed}`;
  return { origin, ...tree, flaws: isDue ? flaws : [...flaws, flawAt(`${base}: checkpoint`, what)] };
}

async function unnamed(folder: string, shards: readonly string[]): Promise<Flaw[]> {
  const what = `is not listed in ${manifestFile} and was not checked`;
  return (await otherLogs(folder, shards)).map((shard) => flawAt(`log/${shard}`, what, 3));
}

async function withoutTiles(source: LogSource): Promise<TreeReport> {
  const flaws = [flawAt('tiles', 'are not in the export; export again with --tiles', 3)];
  const checkpoint = readCheckpoint(await source.checkpoint())?.checkpoint;
  return checkpoint === undefined ? { flaws } : { checkpoint, flaws };
}

function revokedIn({ logs }: FolderReport, { origin }: LogReport): number {
  return logs.find((log) => log.origin === origin)?.revoked ?? 0;
}

function receiptFlaws({ checks, logs, rejected }: FolderReport, trees: readonly Checkpoint[]): Flaw[] {
  const files = rejected.map(({ exit, path, why }) => flawAt(path, why, exit === 0 ? 1 : exit));
  const together = checks
    .filter(({ result }) => result === 'fail')
    .map(({ detail = 'failed', name }) => flawAt('receipts', `${name}: ${detail}`));
  const other = logs.filter(({ origin, root, size }) => {
    const tree = trees.find((candidate) => candidate.origin === origin);
    return tree !== undefined && (tree.size !== BigInt(size) || encodeBase64(tree.root) !== root);
  });
  const forked = other.map(({ origin }) =>
    flawAt('receipts', `come with a checkpoint of ${origin} that differs from the checkpoint of the log`, 5),
  );
  return [...files, ...together, ...forked];
}
