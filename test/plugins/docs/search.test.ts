import { expect } from 'chai';
import type { Library } from '../../../plugins/docs/library.ts';
import { createSearch } from '../../../plugins/docs/search.ts';

// More words than those that the search takes for rare.
const many = Array.from({ length: 300 }, (_, at) => `word${at}`).join(' ');
const texts: Readonly<Record<string, string>> = {
  call: '# Call\n\nHow to call.\n\n## Idempotency\n\nSend an Idempotency-Key, once.',
  keys: '# Keys\n\nHow to make a key.',
  words: `# Words\n\n${many}\n\nonly-here`,
};
const pages = Object.entries(texts).map(([path, text]) => ({ path, title: path, source: () => text }));
const library: Library = { pages: () => pages, find: () => undefined, groups: () => [] };

describe('the search of the documentation', () => {
  const search = createSearch(library);
  for (const [query, addresses] of [
    ['key', ['/docs/keys', '/docs/call#idempotency']],
    ['KEY idem', ['/docs/call#idempotency']],
    ['ey', ['/docs/keys', '/docs/call#idempotency']],
    ['key, once', ['/docs/call#idempotency']],
    ['word only', ['/docs/words']],
    ['rd299', ['/docs/words']],
    ['word key', []],
    ['word300', []],
    [' ', []],
  ] as const)
    it(`finds the sections that hold all words, also as parts of others: "${query}"`, async () => {
      expect((await search(query)).map(({ address }) => address)).to.have.members(addresses);
    });
});
