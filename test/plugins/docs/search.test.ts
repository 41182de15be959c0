import { expect } from 'chai';
import type { Library } from '../../../plugins/docs/library.ts';
import { markdown } from '../../../plugins/pages/markdown.ts';
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

describe('the order of the results', () => {
  const named: readonly (readonly [path: string, text: string])[] = [
    ['api/sendMail', '# POST /mail/smtp\n\nSends by smtp.'],
    ['providers/email-smtp', '# email/smtp\n\nSends by smtp.\n\n## Settings\n\nThe host of the smtp server.'],
    ['reference/configuration', '# Configuration\n\nAll settings, smtp too.'],
    ['providers', '# Providers\n\n## Send real e-mail\n\nBy smtp.'],
    ['smtp', '# Smtp\n\nHow to use it.'],
  ];
  const all = named.map(([path, text]) => ({ path, title: /# (.*)/.exec(text)?.[1] ?? '', source: () => text }));
  const search = createSearch({ pages: () => all, find: () => undefined, groups: () => [] }, markdown);

  it('has guides before adapters and routes, also when these have the word in their title', async () => {
    const found = (await search('smtp')).map(({ address }) => address);
    expect(found.slice(0, 2)).to.deep.equal(['/docs/smtp', '/docs/providers#send-real-e-mail']);
    expect(found.slice(2)).to.include('/docs/providers/email-smtp').and.include('/docs/api/sendMail');
  });
});

describe('a heading in the plural', () => {
  it('is found by the singular, before a text that names it', async () => {
    const source = () => '# Page\n\n## First\n\nIt will retry.\n\n## Retries\n\nIt will retry.';
    const search = createSearch(
      {
        pages: () => [{ path: 'page', title: 'Page', source }],
        find: () => undefined,
        groups: () => [],
      },
      markdown,
    );
    expect((await search('retry')).map(({ section }) => section)).to.deep.equal(['Retries', 'First']);
  });
});

describe('the search of the documentation', () => {
  const search = createSearch(library, markdown);
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
