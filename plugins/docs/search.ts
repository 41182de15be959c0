import { setImmediate as turn } from 'node:timers/promises';
import { markdown } from '../../kernel/index.ts';
import type { Library } from './library.ts';
import { addressOf, mostHits, type Hit } from './page.ts';

/** Searches all pages for words. */
export type Search = (query: string) => Promise<readonly Hit[]>;

interface Entry {
  readonly address: string;
  readonly page: string;
  readonly section: string;
  readonly text: string;
  readonly titles: string;
  readonly all: string;
}

/** Creates the search. It indexes all pages at the first query, one per event loop turn; a result holds every word. */
export function createSearch(library: Library): Search {
  let index: Promise<readonly Entry[]> | undefined;
  return async (query) => {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const entries = await (index ??= indexOf(library));
    return entries
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, mostHits)
      .map(({ entry }) => ({ ...placeOf(entry), excerpt: excerptOf(entry.text, words) }));
  };
}

async function indexOf(library: Library): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (const page of library.pages()) {
    await turn();
    const { sections } = await markdown(page.source(), { headings: [1, 6], link: () => undefined });
    for (const { id, level, title, text } of sections) {
      const section = level > 1 ? title : '';
      if (level === 0 && text === '') continue;
      const address = addressOf(page.path) + (section === '' ? '' : `#${id}`);
      const titles = `${page.title} ${section}`.toLowerCase();
      found.push({ address, page: page.title, section, text, titles, all: `${titles} ${text.toLowerCase()}` });
    }
  }
  return found;
}

function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 12);
}

// A word in a title adds 10 points; a page other than an API route page gets 5 more.
function scoreOf({ address, all, titles }: Entry, words: readonly string[]): number {
  if (!words.every((word) => all.includes(word))) return 0;
  const inTitles = words.filter((word) => titles.includes(word)).length;
  return 1 + 10 * inTitles + (address.startsWith('/docs/api/') ? 0 : 5);
}

function placeOf({ address, page, section }: Entry): Omit<Hit, 'excerpt'> {
  return { address, page, section };
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const places = words.map((word) => plain.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - 60);
  const cut = plain.slice(from, from + 220);
  return (from > 0 ? '…' : '') + cut + (from + 220 < plain.length ? '…' : '');
}
