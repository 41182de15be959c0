import { join } from 'node:path';
import { encodeBase64 } from '../format/base64.ts';
import { verifySignature } from '../format/ed25519.ts';
import { manifestFile } from '../export/manifest.ts';
import type { ReadManifest } from '../export/folder.ts';
import { verifyFolder } from '../export/verify-folder.ts';
import type { Checkpoint } from '../log/pure/checkpoint.ts';
import type { Trust } from '../verifier/trust.ts';
import { missingLogs, type Expected, type LogReport } from './logs.ts';
import { filesSource, inFolder } from './remote-source.ts';
import { checkTree, type Flaw, type Known } from './tree.ts';

/** Checks an export: each log from its entries up, every receipt, and the relations between them. */
export async function checkExport(
  { folder, manifest }: { readonly folder: string; readonly manifest: ReadManifest },
  trust: Trust,
  known: Known,
  expected: Expected,
): Promise<LogReport[]> {
  const { origins, shards, tiles } = manifest;
  if (shards.length === 0)
    return [{ flaws: [{ exit: 3, where: manifestFile, what: 'names no log: nothing can be checked' }] }];
  const reports: LogReport[] = [];
  for (const [at, shard] of shards.entries()) {
    const base = `log/${shard}`;
    const origin = origins[at] ?? base;
    const tree = tiles ? await checkTree(filesSource(inFolder(join(folder, base))), known) : withoutTiles;
    const flaws = tree.flaws.map(({ where, ...flaw }): Flaw => ({ ...flaw, where: `${base}: ${where}` }));
    reports.push({ origin, ...tree, flaws });
  }
  const trees = reports.flatMap(({ checkpoint }) => checkpoint ?? []);
  const shown = trees.map(({ origin }) => origin);
  const found = [...new Set([...origins, ...shown])];
  const receipts = await receiptFlaws(folder, trust, trees);
  return [...reports, ...missingLogs(found, expected), ...(receipts.length === 0 ? [] : [{ flaws: receipts }])];
}

const withoutTiles: LogReport = {
  flaws: [{ exit: 3, where: 'tiles', what: 'are not in the export; export with --tiles' }],
};

async function receiptFlaws(folder: string, trust: Trust, trees: readonly Checkpoint[]): Promise<Flaw[]> {
  const { checks, logs, rejected } = await verifyFolder(folder, trust, { verifySignature });
  const files = rejected.map(({ exit, path, why }): Flaw => ({ exit: exit === 0 ? 1 : exit, where: path, what: why }));
  const together = checks
    .filter(({ result }) => result === 'fail')
    .map(({ detail = 'failed', name }): Flaw => ({ exit: 1, where: 'receipts', what: `${name}: ${detail}` }));
  const other = logs.filter(({ origin, root, size }) => {
    const tree = trees.find((candidate) => candidate.origin === origin);
    return tree !== undefined && (tree.size !== BigInt(size) || encodeBase64(tree.root) !== root);
  });
  return [
    ...files,
    ...together,
    ...other.map(({ origin }): Flaw => {
      return { exit: 5, where: 'receipts', what: `are shown under another checkpoint of ${origin} than its own` };
    }),
  ];
}
