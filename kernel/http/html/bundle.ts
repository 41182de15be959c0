import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { compact } from './compact.ts';
import { inLines, readModule, type ModuleText } from './module-text.ts';

interface Loaded {
  readonly name: string;
  readonly text: ModuleText | { readonly common: string };
}

/**
 * Makes the script of a page from a module: `bundledScript(new URL('./app.ts', import.meta.url))`, written this way so
 * that the executable can be built with the script in place of its sources. Bundles at the first call, then remembers.
 * With `'core'` as second argument the script shares its modules with its parts: scripts that name its module there,
 * hold only what it lacks, and are loaded after it.
 */
export function bundledScript(entry: URL, how?: 'core' | URL): () => Promise<string> {
  let script: Promise<string> | undefined;
  return () =>
    (script ??= (how instanceof URL ? bundlePart(entry, how) : bundle(entry, how === 'core')).catch(
      (error: unknown) => {
        script = undefined;
        throw error;
      },
    ));
}

/**
 * Bundles a module, with all its run-time imports, into one script without imports. Strips types; wraps a package in
 * the older form (CommonJS). Throws when a module uses an unsupported form.
 */
async function bundle(entry: URL, shared: boolean): Promise<string> {
  const { pieces, names, digest } = await piecesOf(entry);
  // Before the last one, which is the entry and runs the program.
  if (shared) pieces.splice(-1, 0, `globalThis.orbModules={of:'${digest}',${names.slice(0, -1).join()}};`);
  return scriptOf(pieces);
}

// A part refers to the modules of its core by their names, so it fits this very core alone.
async function bundlePart(entry: URL, core: URL): Promise<string> {
  const { loaded, names, digest } = await piecesOf(core);
  const order: string[] = [];
  await load(entry.href, loaded, order, [core.href]);
  const pieces = order.map((href) => written(href, loaded));
  const used = names.slice(0, -1).filter((name) => pieces.some((piece) => new RegExp(`\\b${name}\\b`).test(piece)));
  const other = `if(globalThis.orbModules?.of!=='${digest}')throw new Error('This page is of another version');`;
  return scriptOf([`${other}const {${used.join()}}=globalThis.orbModules;`, ...pieces]);
}

async function piecesOf(entry: URL) {
  const loaded = new Map<string, Loaded>();
  const order: string[] = [];
  await load(entry.href, loaded, order, []);
  const pieces = order.map((href) => written(href, loaded));
  const digest = createHash('sha256').update(pieces.join()).digest('base64url').slice(0, 12);
  return { loaded, pieces, names: order.map((href) => known(href, loaded).name), digest };
}

function scriptOf(pieces: readonly string[]): string {
  return `'use strict';\n(() => {\n${pieces.join('\n')}\n})();\n`;
}

// Depth first: a module comes after the modules that it needs.
async function load(
  href: string,
  loaded: Map<string, Loaded>,
  order: string[],
  above: readonly string[],
): Promise<void> {
  if (above.includes(href)) throw new Error(`${href} imports itself by way of others`);
  if (loaded.has(href)) return;
  const source = inLines(await readFile(new URL(href), 'utf8'));
  const name = `m${loaded.size}`;
  if (!/^(?:import|export)\s/m.test(source)) {
    loaded.set(href, { name, text: { common: source } });
    order.push(href);
    return;
  }
  const text = readModule(href.endsWith('.ts') ? compact(strip(source)) : source);
  loaded.set(href, { name, text });
  for (const specifier of text.imports) await load(resolve(specifier, href), loaded, order, [...above, href]);
  order.push(href);
}

function resolve(specifier: string, from: string): string {
  return specifier.startsWith('.') ? new URL(specifier, from).href : import.meta.resolve(specifier);
}

function written(href: string, loaded: ReadonlyMap<string, Loaded>): string {
  const { name, text } = known(href, loaded);
  if ('common' in text)
    return `const ${name} = (() => { const module = { exports: {} };\n${text.common}\nreturn { default: module.exports }; })();`;
  const body = text.write((specifier) => known(resolve(specifier, href), loaded).name);
  return `const ${name}=(()=>{${body}})();`;
}

function known(href: string, loaded: ReadonlyMap<string, Loaded>): Loaded {
  const found = loaded.get(href);
  if (found === undefined) throw new Error(`${href} was not loaded`);
  return found;
}

// Suppress Node's warning that type stripping may change: the operator cannot act on it.
function strip(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
