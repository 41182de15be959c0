import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand, type Command, type OnProgress } from '../../../kernel/index.ts';
import { linesPath, type Contents } from './contents.ts';

/** `orb ledger export`: saves everything needed to recompute every score and to see that no entry was left out. */
export const exportLedger: Command = defineCommand({
  path: 'ledger export',
  summary: 'save the ledger as a folder: facts, entries, checkpoints, snapshots, scoring document',
  args: [{ name: 'folder', description: 'Target folder; default: ledger-export', optional: true }],
  async run(call) {
    const folder = call.args[0] ?? 'ledger-export';
    const client = call.client();
    const contents = await client.request<Contents>('GET', '/ledger/export');
    await mkdir(join(folder, 'checkpoints'), { recursive: true });
    await writeJson(join(folder, 'ledger.json'), contents);
    await writeJson(join(folder, 'scoring.json'), contents.scoring);
    await writeJson(join(folder, 'snapshots.json'), contents.snapshots);
    for (const [shard, checkpoint] of contents.checkpoints.entries())
      await writeFile(join(folder, 'checkpoints', `${shard}.txt`), checkpoint);
    const entries = contents.logs.reduce((sum, { tree_size }) => sum + tree_size, 0);
    for (const kind of ['facts', 'entries'] as const) {
      const path = join(folder, `${kind}.ndjson`);
      const progress = call.bar?.part(path);
      await save(path, withProgress(await client.download(linesPath(kind, contents)), entries, progress));
    }
    const { length: snapshots } = contents.snapshots;
    call.print({ folder, entries, snapshots }, `${folder}: ${entries} entries, ${snapshots} snapshots`);
  },
});

function writeJson(path: string, value: unknown): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function save(path: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const part of parts) await file.write(part);
    await file.sync();
  } finally {
    await file.close();
  }
}

const lineEnd = 10;

// Each line is one entry, or its fact.
async function* withProgress(parts: AsyncIterable<Uint8Array>, total: number, progress?: OnProgress) {
  let lines = 0;
  for await (const part of parts) {
    if (progress !== undefined) progress((lines += part.filter((byte) => byte === lineEnd).length), total);
    yield part;
  }
}
