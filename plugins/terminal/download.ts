import { open, rename, rm } from 'node:fs/promises';

const mebibyte = 1024 ** 2;

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
