import { open, rename, rm } from 'node:fs/promises';
import { defineCommand } from '../../../kernel/index.ts';

const mebibyte = 1024 ** 2;
/** Options that select receipts, by their members of a query. */
export const filters = {
  orbiset: { flag: '--orbiset <id>', description: 'only receipts of this Orbiset' },
  orb: { flag: '--orb <orb_id>', description: 'only receipts of this Orb' },
  status: { flag: '--status <status>', description: 'only receipts of runs with this status' },
  from: {
    flag: '--from <time>',
    description: 'only receipts at or after this time: 2h (ago), 2026-01-31 (UTC) or RFC 3339',
    time: 'past',
  },
  to: { flag: '--to <time>', description: 'only receipts before this time', time: 'past' },
} as const;

/** `orb receipts export`: saves receipts with their proofs and keys as an archive that is verified elsewhere. */
export const exportCommand = defineCommand({
  path: 'receipts export',
  summary: 'save receipts with their proofs and keys as a tar archive, for an auditor',
  options: [
    { flag: '--out <file>', description: 'target file; - is standard output', default: 'receipts.tar' },
    ...Object.values(filters),
    { flag: '--tiles', description: 'include the tiles and entries of the logs, even with a filter' },
  ],
  async run({ bar, client, note, options, print }) {
    const query = new URLSearchParams();
    for (const name of Object.keys(filters)) {
      const value = options[name];
      if (typeof value === 'string') query.set(name, value);
    }
    if (options['tiles'] === true) query.set('tiles', 'true');
    const parts = await client().download(`/receipts/export${query.size === 0 ? '' : `?${query.toString()}`}`);
    const out = String(options['out'] ?? 'receipts.tar');
    const bytes = await saveDownload(out, parts, bar?.count(out));
    if (bytes === undefined) return;
    note(`tar -xf ${out} and read HOWTO.md; or: orb receipts verify <folder>`);
    print({ file: out, bytes }, `${out}: ${bytes} bytes`);
  },
});

/** Saves a download, or writes it to standard output (`-`); answers its bytes, and undefined for standard output. */
export async function saveDownload(
  out: string,
  parts: AsyncIterable<Uint8Array>,
  told?: (amount: string) => void,
): Promise<number | undefined> {
  if (out !== '-') return save(out, parts, told);
  for await (const part of parts) if (!process.stdout.write(part)) await drained();
  return undefined;
}

function drained(): Promise<void> {
  return new Promise((resolve) => process.stdout.once('drain', () => resolve()));
}

// Write under a temporary name until complete: a truncated archive would look valid.
async function save(path: string, parts: AsyncIterable<Uint8Array>, told?: (amount: string) => void): Promise<number> {
  const file = await open(`${path}.part`, 'w');
  let bytes = 0;
  try {
    for await (const part of parts) {
      await file.write(part);
      bytes += part.length;
      told?.(`${(bytes / mebibyte).toFixed(1)} MiB`);
    }
    await file.sync();
  } catch (error) {
    await rm(`${path}.part`, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
  return bytes;
}
