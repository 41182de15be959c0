import { setImmediate as turn } from 'node:timers/promises';
import type { Pages } from '../pages/contract.ts';
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
  /** Titles and text in lower case. */
  readonly all: string;
}

/** All sections, and the words in them. */
interface Index {
  readonly entries: readonly Entry[];
  /** Each word of the sections once, by line. */
  readonly words: string;
  /** The sections that have a word. */
  readonly having: ReadonlyMap<string, readonly Entry[]>;
}

// A part of a word that more words have is found in each section soon.
const mostWords = 200;

/** Creates the search. It indexes all pages at the first query, one per event loop turn; a result holds every word. */
export function createSearch(library: Library, markdown: Pages['markdown']): Search {
  let index: Promise<Index> | undefined;
  return async (query) => {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    return matching(await (index ??= indexOf(library, markdown)), words)
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, mostHits)
      .map(({ entry: { address, page, section, ...entry } }) => ({
        address,
        page,
        section,
        excerpt: excerptOf(entry, words),
      }));
  };
}

async function indexOf(library: Library, markdown: Pages['markdown']): Promise<Index> {
  const entries: Entry[] = [];
  const having = new Map<string, Entry[]>();
  for (const page of library.pages()) {
    await turn();
    const { sections } = await markdown(page.source(), { headings: [1, 6], link: () => undefined });
    for (const { id, level, title, text } of sections) {
      const section = level > 1 ? title : '';
      if (level === 0 && text === '') continue;
      const address = addressOf(page.path) + (section === '' ? '' : `#${id}`);
      const titles = `${page.title} ${section}`.toLowerCase();
      const plain = text.replace(/\s+/g, ' ').trim();
      const all = `${titles} ${plain.toLowerCase()}`;
      const entry = { address, page: page.title, section, text: plain, titles, all };
      entries.push(entry);
      for (const word of new Set(all.split(/\s+/))) {
        const those = having.get(word);
        if (those === undefined) having.set(word, [entry]);
        else those.push(entry);
      }
    }
  }
  return { entries, words: `\n${[...having.keys()].join('\n')}\n`, having };
}

function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 12);
}

/** Finds the sections that hold all words, also as parts of longer ones, in the order of the index. */
function matching(index: Index, words: readonly string[]): readonly Entry[] {
  const sets = words.map((word) => entriesWith(index, word)).filter((set) => set !== undefined);
  return index.entries.filter((entry) => hasAll(entry, words, sets));
}

// There are thousands of sections: no function is made for each.
function hasAll(entry: Entry, words: readonly string[], sets: readonly ReadonlySet<Entry>[]): boolean {
  for (const set of sets) if (!set.has(entry)) return false;
  for (const word of words) if (!entry.all.includes(word)) return false;
  return true;
}

// The words of all sections are a tenth of their text. Undefined: too many have the part.
function entriesWith({ words, having }: Index, part: string): ReadonlySet<Entry> | undefined {
  const found = new Set<Entry>();
  let count = 0;
  for (let at = words.indexOf(part); at >= 0; count += 1) {
    if (count === mostWords) return undefined;
    const end = words.indexOf('\n', at);
    for (const entry of having.get(words.slice(words.lastIndexOf('\n', at) + 1, end)) ?? []) found.add(entry);
    at = words.indexOf(part, end);
  }
  return found;
}

// A guide that names a word counts more than an adapter or a route whose title has it: most readers look for how to do
// something. A word of its own in a title counts more than a part of one.
function scoreOf({ address, titles }: Entry, words: readonly string[]): number {
  const own = new Set(titles.split(/[^\p{L}\p{N}]+/u));
  const inTitles = words.filter((word) => formsOf(word).some((form) => titles.includes(form))).length;
  const whole = words.filter((word) => formsOf(word).some((form) => own.has(form))).length;
  return weightOf(address) + 10 * inTitles + 5 * whole;
}

// "retry" is looked for where a heading says "Retries".
function formsOf(word: string): readonly string[] {
  return [word, `${word}s`, word.replace(/y$/, 'ies')];
}

function weightOf(address: string): number {
  if (/^\/docs\/(?:api|providers)\//.test(address)) return 0;
  return /^\/docs\/(?:reference|contributing)\b/.test(address) ? 8 : 16;
}

function excerptOf({ text, all, titles }: Pick<Entry, 'text' | 'all' | 'titles'>, words: readonly string[]): string {
  const begin = titles.length + 1;
  const places = words.map((word) => all.indexOf(word, begin) - begin).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - 60);
  const cut = text.slice(from, from + 220);
  return (from > 0 ? '…' : '') + cut + (from + 220 < text.length ? '…' : '');
}
