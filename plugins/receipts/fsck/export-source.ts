import { join } from 'node:path';
import { encodeBase64 } from '../base64.ts';
import { verifySignature } from '../ed25519.ts';
import { manifestFile } from '../export/manifest.ts';
import type { ReadManifest } from '../export/folder.ts';
import { verifyFolder } from '../export/verify-folder.ts';
import type { Checkpoint } from '../log/checkpoint.ts';
import type { Trust } from '../verifier/trust.ts';
import { filesSource, inFolder } from './remote-source.ts';
import { checkTree, type Flaw, type TreeReport } from './tree.ts';

/**
 * Checks an export: each log from its entries up, every receipt, and what holds between them. The answer's checkpoint
 * is that of the last log.
 */
export async function checkExport(
  folder: string,
  manifest: ReadManifest,
  trust: Trust,
  seen: (origin: string) => Checkpoint | undefined,
): Promise<TreeReport> {
  const flaws: Flaw[] =
    manifest.shards.length > 0 ? [] : [{ exit: 3, where: manifestFile, what: 'names no log: nothing can be checked' }];
  const trees: Checkpoint[] = [];
  for (const shard of manifest.shards) {
    const base = `log/${shard}`;
    if (!manifest.tiles) {
      flaws.push({ exit: 3, where: base, what: 'is without its tiles; export with --tiles' });
      continue;
    }
    const tree = await checkTree(filesSource(inFolder(join(folder, base))), trust.policy?.logs ?? [], seen);
    flaws.push(...tree.flaws.map(({ where, ...flaw }) => ({ ...flaw, where: `${base}: ${where}` })));
    if (tree.checkpoint !== undefined) trees.push(tree.checkpoint);
  }
  flaws.push(...(await receiptFlaws(folder, trust, trees)));
  const last = trees.at(-1);
  return { flaws, ...(last === undefined ? {} : { checkpoint: last }) };
}

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
