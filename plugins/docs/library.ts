import { readdirSync, readFileSync } from 'node:fs';
import type { Description, Metrics, Scopes } from '../../kernel/index.ts';
import type { Page } from './page.ts';
import { adapterIndex, adapterPages } from './reference/adapters.ts';
import { apiIndex, operationPages } from './reference/api.ts';
import { commandReference } from './reference/cli.ts';
import { configurationReference, pluginReference, variableReference } from './reference/configuration.ts';
import { metricReference, problemReference, scopeReference } from './reference/lists.ts';

/** The pages of the documentation. */
export interface Library {
  /** Returns all pages: first those of the folder, in the order of their paths. */
  pages(): readonly Page[];
  find(path: string): Page | undefined;
  /** Returns the groups of the index, for the navigation. */
  groups(): readonly Group[];
}

/** A heading of the index with the pages that it lists. */
export interface Group {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

/** Sources of the pages. */
export interface LibrarySource {
  readonly describe: () => Description;
  /** Returns the document that describes the API. */
  readonly openapi: () => object;
  readonly scopes: Scopes;
  readonly metrics: Metrics;
}

/** Data that reference pages are generated from. */
interface Material {
  readonly description: Description;
  readonly openapi: object;
  readonly scopes: Scopes;
  readonly metrics: ReturnType<Metrics['list']>;
}

/** Generators of the Markdown for placeholders in pages, by placeholder name. */
const generators: ReadonlyMap<string, (material: Material) => string> = new Map([
  ['adapters', ({ description }) => adapterIndex(description.adapters)],
  ['api', ({ openapi }) => apiIndex(openapi)],
  ['commands', ({ description }) => commandReference(description.commands)],
  ['configuration', ({ description }) => configurationReference(description.settings)],
  ['metrics', ({ metrics }) => metricReference(metrics)],
  ['plugins', ({ description }) => pluginReference(description.plugins)],
  ['problems', ({ description }) => problemReference(description.problems)],
  ['scopes', ({ openapi, scopes }) => scopeReference(scopes, openapi)],
  ['variables', ({ description }) => variableReference(description.variables)],
] satisfies [string, (material: Material) => string][]);

const folder = new URL('./pages/', import.meta.url);

/** Creates the library; it reads the pages on first use. */
export function createLibrary({ describe, openapi, scopes, metrics }: LibrarySource): Library {
  let opened: { readonly pages: readonly Page[]; readonly groups: readonly Group[] } | undefined;
  const open = (): NonNullable<typeof opened> => {
    if (opened !== undefined) return opened;
    const description = describe();
    const document = openapi();
    const material = (): Material => ({ description, openapi: document, scopes, metrics: metrics.list() });
    // Only metrics are added after the start.
    const state = (): number => metrics.list().length;
    const written = readPages(material, state);
    const generated = [...adapterPages(description.adapters), ...operationPages(document)];
    const pages = [...written, ...generated.map((page) => ({ ...page, source: kept(page.source) }))];
    return (opened = { pages, groups: groupsOf(written) });
  };
  return {
    pages: () => open().pages,
    find: (path) => open().pages.find((page) => page.path === path),
    groups: () => open().groups,
  };
}

// Makes a text again only when the state has changed.
function kept(make: () => string, state: () => number = () => 0): () => string {
  let made: { readonly text: string; readonly state: number } | undefined;
  return () => {
    const now = state();
    if (made?.state !== now) made = { text: make(), state: now };
    return made.text;
  };
}

function readPages(material: () => Material, state: () => number): readonly Page[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return files.sort().map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
    const listsMetrics = text.includes('<!-- generated: metrics -->');
    const source = kept(() => filled(text, material), listsMetrics ? state : undefined);
    return { path: file.slice(0, -'.md'.length), title, source };
  });
}

/** Replaces the placeholders `<!-- generated: name -->` of a page with generated Markdown. */
function filled(text: string, material: () => Material): string {
  return text.replace(/^<!-- generated: (\w+) -->\n[^]*?^<!-- end -->$/gm, (whole, name: string) => {
    const generate = generators.get(name);
    return generate === undefined ? whole : generate(material());
  });
}

function groupsOf(pages: readonly Page[]): readonly Group[] {
  const index = pages.find(({ path }) => path === 'index')?.source() ?? '';
  const groups: { title: string; pages: { path: string; title: string }[] }[] = [];
  for (const [, heading, title = '', file = ''] of index.matchAll(/^(?:## (.+)|- \[([^\]]+)\]\(([^)]+)\.md\).*)$/gm)) {
    if (heading !== undefined) groups.push({ title: heading, pages: [] });
    else groups.at(-1)?.pages.push({ path: file, title });
  }
  return groups.filter((group) => group.pages.length > 0);
}
