import { expect } from 'chai';
import { pagingHeaders, type Paging } from '../../../../plugins/marketplace/listing/paging.ts';

/** Offsets that the header `Link` leads to, by relation. */
function links(paging: Paging): Readonly<Record<string, number>> {
  const { Link = '' } = pagingHeaders('https://orb.example/list', { q: 'a b', tier: undefined }, paging);
  const found = [...Link.matchAll(/<https:\/\/orb\.example\/list\?q=a%20b&limit=(\d+)&offset=(-?\d+)>; rel="(\w+)"/g)];
  for (const [, limit] of found) expect(Number(limit)).to.equal(paging.limit);
  return Object.fromEntries(found.map(([, , offset, rel]) => [rel, Number(offset)]));
}

describe('the links of a page', () => {
  const cases: readonly (readonly [string, Paging, Readonly<Record<string, number>>])[] = [
    ['of an empty list', { limit: 20, offset: 0, total: 0 }, { first: 0, last: 0 }],
    ['of a list of one page', { limit: 20, offset: 0, total: 20 }, { first: 0, last: 0 }],
    ['of the first of two pages', { limit: 20, offset: 0, total: 21 }, { next: 20, first: 0, last: 20 }],
    ['of the last of two full pages', { limit: 20, offset: 20, total: 40 }, { prev: 0, first: 0, last: 20 }],
    ['between two pages', { limit: 20, offset: 5, total: 30 }, { next: 25, prev: 0, first: 0, last: 20 }],
    ['past the end', { limit: 20, offset: 500, total: 30 }, { prev: 480, first: 0, last: 20 }],
    [
      'whose next page begins at the farthest offset',
      { limit: 100, offset: 9_900, total: 20_000 },
      { next: 10_000, prev: 9_800, first: 0, last: 10_000 },
    ],
    [
      'whose next page would begin past the farthest offset',
      { limit: 100, offset: 9_901, total: 20_000 },
      { prev: 9_801, first: 0, last: 10_000 },
    ],
    [
      'of a list that ends past the farthest offset',
      { limit: 30, offset: 0, total: 20_000 },
      { next: 30, first: 0, last: 9_990 },
    ],
  ];
  for (const [name, paging, expected] of cases)
    it(`lead to what there is: ${name}`, () => expect(links(paging)).to.deep.equal(expected));
});
