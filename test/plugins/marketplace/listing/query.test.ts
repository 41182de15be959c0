import { expect } from 'chai';
import { compileLater } from '../../../../kernel/index.ts';
import type { Entry } from '../../../../plugins/marketplace/listing.ts';
import { facetsOf, listQuery, narrowed, sorted, type Filter } from '../../../../plugins/marketplace/listing/query.ts';
import { entryOf } from './entries.ts';

const ids = (entries: readonly Entry[]): readonly string[] => entries.map(({ listing }) => listing.orb_id);

describe('the filters of the keyed list', () => {
  const entries = [
    entryOf('acme.mail@1.0.0', { tier: 'gold', category: 'notify', title: 'Sends Ｍail', tags: ['smtp'] }),
    entryOf('acme.fetch@1.0.0', { tier: 'bronze', category: 'http', status: 'deprecated', description: 'Gets pages' }),
    entryOf('other.mail@2.0.0', { tier: 'silver', category: 'notify', description: 'smtp again' }),
    entryOf('other.none@1.0.0'),
  ];
  const [mail, fetch, others, none] = ids(entries);
  const rows: readonly (readonly [Filter, readonly (string | undefined)[]])[] = [
    [{}, [mail, fetch, others, none]],
    [{ tier: 'gold' }, [mail]],
    [{ tier: 'none' }, [none]],
    [{ min_tier: 'none' }, [mail, fetch, others, none]],
    [{ min_tier: 'silver' }, [mail, others]],
    [{ namespace: 'acme' }, [mail, fetch]],
    [{ category: 'notify' }, [mail, others]],
    [{ category: 'notify', namespace: 'other' }, [others]],
    [{ status: 'deprecated' }, [fetch]],
    [{ status: 'active', min_tier: 'bronze' }, [mail, others]],
    [{ q: 'mail' }, [mail, others]],
    [{ q: 'MAIL  smtp' }, [mail, others]],
    [{ q: 'sends' }, [mail]],
    [{ q: 'smtp again' }, [others]],
    [{ q: 'notify 2.0.0' }, [others]],
    [{ q: 'pages' }, [fetch]],
    [{ q: 'acme.mail' }, [mail]],
    [{ q: 'nothing' }, []],
    [{ q: '   ' }, [mail, fetch, others, none]],
  ];
  for (const [filter, expected] of rows)
    it(`keep with ${JSON.stringify(filter)} ${expected.length} of four`, () => {
      expect(ids(narrowed(entries, filter))).to.deep.equal(expected);
    });

  it('do not find a word across two texts', () => {
    const split = entryOf('a.b@1.0.0', { title: 'in', description: 'out' });
    expect(narrowed([split], { q: 'inout' })).to.deep.equal([]);
  });

  it('count for a facet what all other filters keep, by value', () => {
    expect(facetsOf(entries, { namespace: 'acme', category: 'notify' })).to.deep.equal({
      tier: { gold: 1 },
      namespace: { acme: 1, other: 1 },
      category: { http: 1, notify: 1 },
      status: { active: 1 },
    });
    const { category, tier } = facetsOf([...entries].reverse(), {});
    expect(Object.entries(category)).to.deep.equal([
      ['http', 1],
      ['notify', 2],
      ['x', 1],
    ]);
    expect(Object.keys(tier)).to.deep.equal(['bronze', 'gold', 'none', 'silver']);
  });
});

describe('the query of the keyed list', () => {
  const fits = compileLater(listQuery);
  for (const [name, most] of [
    ['limit', 100],
    ['offset', 10_000],
  ] as const)
    it(`takes a ${name} of at most ${most}`, () => {
      const faults = (value: number) => fits({ [name]: value }).length;
      const least = name === 'limit' ? 1 : 0;
      expect([least, most].map(faults)).to.deep.equal([0, 0]);
      expect([least - 1, most + 1].map(faults)).to.deep.equal([1, 1]);
    });

  it('takes words of 200 letters, and none of no letter', () => {
    for (const name of ['q', 'namespace', 'category'])
      expect(['', 'x'.repeat(200), 'x'.repeat(201)].map((text) => fits({ [name]: text }).length)).to.deep.equal([
        1, 0, 1,
      ]);
  });

  it('has a page of 20 by score unless it says otherwise', () => {
    const { limit, offset, sort, facets } = listQuery.properties;
    expect([limit.default, offset.default, sort.default, facets.default]).to.deep.equal([20, 0, 'score', false]);
  });
});

describe('the sorting of the keyed list', () => {
  const at = (day: number): string => `2026-11-0${day}T00:00:00.000Z`;
  const entries = [
    entryOf('b.b@1.0.0', { score: 90, runs: 2, updated_at: at(3), published_at: at(1) }),
    entryOf('c.c@1.0.0', { score: 50, runs: 9, updated_at: at(1), published_at: at(2) }),
    entryOf('a.a@1.0.0', { score: 50, runs: 2, updated_at: at(2), published_at: at(3) }),
    entryOf('e.none@1.0.0', { runs: 0, updated_at: at(4), published_at: at(4) }),
    entryOf('d.none@1.0.0', { runs: 1, updated_at: at(5), published_at: at(5) }),
    entryOf('f.held@1.0.0', { score: 99, suspended: true, runs: 5, updated_at: at(6), published_at: at(6) }),
  ];
  const by = (sort: Parameters<typeof sorted>[1]['sort'], order?: 'asc' | 'desc'): string =>
    ids(sorted(entries, { sort, ...(order === undefined ? {} : { order }) }))
      .map((id) => id[0])
      .join('');
  for (const [sort, order, expected] of [
    ['score', undefined, 'bcaedf'],
    ['score', 'desc', 'bcaedf'],
    ['score', 'asc', 'acbdef'],
    ['name', undefined, 'abcdef'],
    ['name', 'asc', 'abcdef'],
    ['name', 'desc', 'fedcba'],
    ['updated', undefined, 'fdebac'],
    ['updated', 'asc', 'cabedf'],
    ['published', undefined, 'fdeacb'],
    ['published', 'asc', 'bcaedf'],
    ['runs', undefined, 'cfabde'],
    ['runs', 'asc', 'edabfc'],
  ] as const)
    it(`is by ${sort} ${order ?? 'as usual'}: ${expected}`, () => {
      expect(by(sort, order)).to.equal(expected);
    });

  it('by score upwards does not depend on the order before', () => {
    const upwards = sorted([...entries].reverse(), { sort: 'score', order: 'asc' });
    expect(ids(upwards)).to.deep.equal(ids(sorted(entries, { sort: 'score', order: 'asc' })));
  });
});
