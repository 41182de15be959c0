import { expect } from 'chai';
import type { CommandCall } from '../../../kernel/index.ts';
import { apiCommand, pageOptions } from '../../../plugins/terminal/contract.ts';

type Pages = readonly { readonly things: readonly string[]; readonly next_cursor?: string }[];

/** Runs a list over these pages; answers what it asked for, printed and noted. */
async function listed(pages: Pages, limit: string | undefined) {
  const asked: string[] = [];
  const notes: string[] = [];
  const printed: unknown[] = [];
  const command = apiCommand<{ readonly things: readonly string[] }>({
    ...{ path: 'things list', summary: 'list things', route: 'GET /things' },
    options: [{ flag: '--state <state>', description: 'of this state' }, ...pageOptions],
    show: ({ things }) => things.join(' '),
  });
  const client = {
    async request(_: string, path: string) {
      asked.push(path);
      // The last page is repeated for all that follow.
      return pages[Math.min(asked.length, pages.length) - 1];
    },
  };
  await command.run({
    ...{ args: [], options: { state: 'dead', limit }, client: () => client },
    note: (text: string) => notes.push(text),
    print: (value: unknown, text: string) => printed.push(value, text),
  } as unknown as CommandCall);
  return { asked, notes, printed };
}

describe('a command that lists', () => {
  const rows: readonly {
    name: string;
    pages: Pages;
    limit?: string;
    asked: readonly string[];
    shown: string;
    next?: string;
  }[] = [
    {
      name: 'a full page',
      pages: [{ things: ['c', 'b'], next_cursor: 'B' }],
      limit: '2',
      asked: ['limit=2'],
      shown: 'c b',
      next: 'B',
    },
    { name: 'a whole list', pages: [{ things: ['c', 'b'] }], limit: '20', asked: ['limit=20'], shown: 'c b' },
    {
      name: 'short pages up to so many',
      pages: [
        { things: [], next_cursor: 'C' },
        { things: ['c'], next_cursor: 'B' },
        { things: ['b', 'a'], next_cursor: 'A' },
      ],
      ...{ limit: '3', asked: ['limit=3', 'limit=3&cursor=C', 'limit=2&cursor=B'], shown: 'c b a', next: 'A' },
    },
    {
      name: 'short pages up to the end of the list',
      pages: [{ things: ['c'], next_cursor: 'C' }, { things: ['b'] }],
      ...{ limit: '9', asked: ['limit=9', 'limit=8&cursor=C'], shown: 'c b' },
    },
    {
      name: 'one page when no number is asked for',
      pages: [{ things: ['c'], next_cursor: 'C' }],
      asked: [''],
      shown: 'c',
      next: 'C',
    },
  ];
  for (const { name, pages, limit, asked, shown, next } of rows)
    it(`reads ${name}`, async () => {
      const found = await listed(pages, limit);
      expect(found.asked).to.deep.equal(asked.map((query) => `/things?state=dead${query === '' ? '' : `&${query}`}`));
      const things = shown.split(' ');
      expect(found.printed).to.deep.equal([next === undefined ? { things } : { things, next_cursor: next }, shown]);
      expect(found.notes).to.deep.equal(
        next === undefined ? [] : [`there are more entries; continue with --cursor ${next}`],
      );
    });

  it('gives up after a hundred pages that hold nothing, and says how to go on', async () => {
    const { asked, notes } = await listed([{ things: [], next_cursor: 'C' }], '20');
    expect([asked.length, notes]).to.deep.equal([100, ['there are more entries; continue with --cursor C']]);
  });
});
