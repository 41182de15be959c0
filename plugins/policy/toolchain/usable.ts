import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import { WebAssembly } from '../decide/web-assembly.ts';

const needed = ['memory', '_initialize', 'alloc', 'release', 'call'];

/** Says what is wrong with a file that is named as the policy compiler, or undefined when it can be used. */
export async function unusable(path: string): Promise<string | undefined> {
  const file = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
  if (file instanceof Error) return `it cannot be read (${file.code ?? 'error'})`;
  try {
    const module = await WebAssembly.compile(path.endsWith('.br') ? brotliDecompressSync(file) : file);
    const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
    const missing = needed.filter((name) => !exported.has(name));
    return missing.length === 0 ? undefined : `it is another program: it exports no ${missing.join(', ')}`;
  } catch {
    return 'it is no WebAssembly';
  }
}
