import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandCall } from '../../kernel/index.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { parseUint64, type Checkpoint } from './log/checkpoint.ts';
import { parseStrict } from './verifier/strict-json.ts';
import { isRecord } from './verifier/trust.ts';

/** Name of the file in the state dir that remembers the newest verified checkpoint of every log. */
const seenFile = 'seen-checkpoints.json';

/** Checkpoints by the name of their log. */
export type Seen = ReadonlyMap<string, Checkpoint>;

/** Reads the checkpoints that were verified before; none when there is no file, or no readable one. */
export async function readSeen(stateDir: string): Promise<Seen> {
  const content = await readFile(join(stateDir, seenFile), 'utf8').catch(() => '');
  const parsed = parseStrict(content);
  const seen = new Map<string, Checkpoint>();
  for (const [origin, value] of isRecord(parsed) ? Object.entries(parsed) : []) {
    const size = isRecord(value) && typeof value['size'] === 'string' ? parseUint64(value['size']) : undefined;
    const root = isRecord(value) && typeof value['root'] === 'string' ? decodeBase64(value['root']) : undefined;
    if (size !== undefined && root?.length === 32) seen.set(origin, { origin, size, root });
  }
  return seen;
}

/**
 * Remembers a verified checkpoint unless a larger one of its log is known. Where nothing can be written it says so: the
 * next check cannot tell a log that was rolled back.
 */
export async function keepSeen(
  { note, stateDir }: Pick<CommandCall, 'note' | 'stateDir'>,
  checkpoint: Checkpoint,
): Promise<void> {
  const seen = new Map(await readSeen(stateDir));
  const known = seen.get(checkpoint.origin);
  if (known !== undefined && known.size >= checkpoint.size) return;
  seen.set(checkpoint.origin, checkpoint);
  const value = [...seen].map(([origin, { root, size }]) => [origin, { size: `${size}`, root: encodeBase64(root) }]);
  const path = join(stateDir, seenFile);
  const content = `${JSON.stringify(Object.fromEntries(value), undefined, 2)}\n`;
  await writeFile(`${path}.new`, content)
    .then(() => rename(`${path}.new`, path))
    .catch((error: NodeJS.ErrnoException) =>
      note(`the checkpoint is not remembered (${error.code}: ${stateDir}); name a folder by ORB_STATE_DIR`),
    );
}
