import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { compact } from './compact.ts';
import { readModule, shortOf, type ModuleText } from './module-text.ts';
import type { Variable } from './scopes.ts';
import { nameShort } from './short-names.ts';

/**
 * Makes the script of a page from a module: `bundledScript(new URL('./app.ts', import.meta.url))`, written this way so
 * that the executable can be built with the script in place of its sources. Bundles at the first call, then remembers.
 */
export function bundledScript(entry: URL): () => Promise<string> {
  let script: Promise<string> | undefined;
  return () =>
    (script ??= bundle(entry).catch((error: unknown) => {
      script = undefined;
      throw error;
    }));
}

/**
 * Bundles a module, with all its run-time imports, into one script without imports. Strips types and needless space,
 * joins the modules in one scope and gives their variables short names; wraps a package in the older form (CommonJS).
 * Throws when a module uses an unsupported form.
 */
async function bundle(entry: URL): Promise<string> {
  const modules = new Map<string, ModuleText>();
  await load(entry.href, modules, []);
  const all = link(modules);
  nameShort(
    [...modules.values()].flatMap(({ references }) => references),
    [...modules.values()].map(({ scope }) => scope),
  );
  const pieces = [...modules].map(([href, module]) => module.write() + (all.get(href)?.() ?? ''));
  return `'use strict';\n(() => {\n${pieces.join('\n')}\n})();\n`;
}

// Depth first: a module comes after the modules that it needs.
async function load(href: string, modules: Map<string, ModuleText>, above: readonly string[]): Promise<void> {
  if (above.includes(href)) throw new Error(`${href} imports itself by way of others`);
  if (modules.has(href)) return;
  // Loaded with the first page that has a script: the start of the program does not wait for it.
  const { parse } = await import('acorn');
  const source = inModule(await readFile(new URL(href), 'utf8'));
  const text = href.endsWith('.ts') ? compact(strip(source)) : source;
  const module = readModule(text, parse(text, { ecmaVersion: 'latest', sourceType: 'module' }));
  for (const specifier of module.needs) await load(resolve(specifier, href), modules, [...above, href]);
  modules.set(href, module);
}

function inModule(source: string): string {
  if (/^\s*(?:import|export)\b|[;}]export\b/m.test(source)) return source;
  return `export default (() => { const module = { exports: {} };\n${source}\nreturn module.exports; })();`;
}

function resolve(specifier: string, from: string): string {
  return specifier.startsWith('.') ? new URL(specifier, from).href : import.meta.resolve(specifier);
}

/** Lets each import refer to what it names, and returns what writes the object of all exports after a module. */
function link(modules: ReadonlyMap<string, ModuleText>): ReadonlyMap<string, () => string> {
  const wholes = new Map<string, Variable>();
  const exportOf = (href: string, name: string): Variable => {
    const { exported, scope } = known(href, modules);
    if (name === '*') return wholes.get(href) ?? kept(wholes, href, scope.declare('*'));
    const found = exported.get(name);
    if (found === undefined) throw new Error(`${href} does not export ${name}`);
    return 'from' in found ? exportOf(resolve(found.from, href), found.name) : found;
  };
  for (const [href, { imported }] of modules)
    for (const { variable, from, name } of imported) variable.is = exportOf(resolve(from, href), name);
  const written = (href: string, whole: Variable) => (): string => {
    const members = [...known(href, modules).exported.keys()].map((name) => `${name}:${shortOf(exportOf(href, name))}`);
    return `\nconst ${shortOf(whole)}={${members.join()}};`;
  };
  return new Map([...wholes].map(([href, whole]) => [href, written(href, whole)]));
}

function kept<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
}

function known(href: string, modules: ReadonlyMap<string, ModuleText>): ModuleText {
  const found = modules.get(href);
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
