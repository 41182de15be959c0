import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { authorSurface } from './author-modules.ts';

interface DefinitionFile {
  /** The default export, or its result for `api`; the same object for the same content. */
  readonly definition: unknown;
  /** `sha256:<hex>` of the file and of all it imports by relative path. */
  readonly digest: string;
}

type Make = (api: unknown) => unknown;
const made = new Map<string, DefinitionFile>();

/** Loads a file outside the tree, again when it or one of its imports has changed. Faults are added: then undefined. */
export async function loadDefinition(
  file: string,
  path: string,
  faults: string[],
): Promise<DefinitionFile | undefined> {
  if (!existsSync(file)) {
    faults.push(`${path}: there is no such file`);
    return undefined;
  }
  try {
    const digest = digestOf(realpathSync(file));
    const url = `${pathToFileURL(file).href}?${parameter}=${digest}`;
    const known = made.get(url);
    if (known !== undefined) return known;
    carryDigest();
    const { default: found } = (await import(url)) as { default?: unknown };
    const definition = typeof found === 'function' ? (found as Make)(authorSurface()) : found;
    if (typeof definition === 'object' && definition !== null) {
      const loaded = Object.freeze({ definition, digest: `sha256:${digest}` });
      made.set(url, loaded);
      return loaded;
    }
    faults.push(`${path}: the file has no default export of a definition`);
  } catch (error) {
    faults.push(`${path}: cannot load the file (${error instanceof Error ? error.message : String(error)})`);
  }
  return undefined;
}

// Node keeps a module for ever under its URL; the digest in the URL makes a changed file a new module.
const parameter = 'orb-digest';
let carrying = false;

/** Makes files that are imported by relative path carry the digest of the file that was loaded. */
function carryDigest(): void {
  if (carrying) return;
  carrying = true;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const digest = context.parentURL === undefined ? null : digestIn(context.parentURL);
      if (digest === null || !/^\.\.?\//.test(specifier) || !resolved.url.startsWith('file:')) return resolved;
      const url = new URL(resolved.url);
      url.searchParams.set(parameter, digest);
      return { ...resolved, url: url.href };
    },
  });
}

function digestIn(url: string): string | null {
  return url.includes(`${parameter}=`) ? new URL(url).searchParams.get(parameter) : null;
}

// A type import does not exist at run time, so its file does not count.
const imports = /\b(?:import|export)\b(\s+type\b)?[^'"`;]*?['"](\.\.?\/[^'"]+)['"]/g;

function digestOf(entry: string): string {
  const hash = createHash('sha256');
  const seen = new Set<string>();
  const pending = [entry];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    // Other text may look like an import and name a folder or a file that does not exist.
    if (seen.has(file) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    hash.update(`${relative(dirname(entry), file)}\0${text.length}\0${text}`);
    for (const [, type, specifier = ''] of text.matchAll(imports))
      if (type === undefined) pending.push(resolve(dirname(file), specifier));
  }
  return hash.digest('hex');
}
