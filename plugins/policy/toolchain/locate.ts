import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the compiler's Go sources. */
export const compilerSources: string = fileURLToPath(new URL('../compiler/', import.meta.url));

const packageDir = resolve(compilerSources, '../../..');

/** Computes the digest of the compiler's sources: 16 hex digits. */
function sourcesDigest(): string {
  const hash = createHash('sha256');
  const names = readdirSync(compilerSources).filter((name) => /\.go$|^go\.(mod|sum)$/.test(name));
  for (const name of names.sort())
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(compilerSources, name)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Returns the path that `npm run build:compiler` writes the program to. */
export function distPath(): string {
  return join(packageDir, 'dist', `policy-compiler-${sourcesDigest()}.wasm.br`);
}

/** Returns the path that a server writes a program to that it builds itself. */
export function cachePath(stateDir: string): string {
  return join(stateDir, 'cache', `policy-compiler-${sourcesDigest()}.wasm`);
}

/** Finds the compiler's path: the named one, else the one in this state dir, else the one in the package. */
export function findCompiler(named: string | undefined, stateDir: string): string | undefined {
  if (named !== undefined) return named;
  return [cachePath(stateDir), distPath()].find((path) => existsSync(path));
}
