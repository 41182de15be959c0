import { expect } from 'chai';
import type { Entry } from '../../../../plugins/marketplace/listing.ts';
import type { Listing } from '../../../../plugins/marketplace/listing.ts';
import { namesInOrder, versionsInOrder } from '../../../../plugins/marketplace/listing/order.ts';
import { tiers } from '../../../../plugins/ledger/shapes.ts';

const day = '2026-11-20';
const before = '2026-11-19';

type Given = Partial<Listing> & {
  readonly score?: number | null;
  readonly latest?: boolean;
  readonly suspended?: boolean;
};

function entry(orb_id: string, { score = null, latest = true, suspended = false, ...more }: Given = {}): Entry {
  const [full = '', version = ''] = orb_id.split('@');
  const [namespace = '', name = ''] = full.split('.');
  const at = '2026-11-01T00:00:00.000Z';
  const listing: Listing = {
    orb_id,
    namespace,
    name,
    version,
    title: '',
    description: '',
    readme: '',
    category: 'x',
    tags: [],
    manifest_digest: '',
    manifest_signed: false,
    status: 'active',
    published_at: at,
    updated_at: at,
    listed_at: at,
    published_after: before,
    listed_after: before,
    receipt_id: '',
    revision: 1,
    ...more,
  };
  const reputation = { orb_id, score, suspended, tier: 'none' as const, tier_rank: tiers.indexOf('none') };
  return { listing, reputation: reputation as Entry['reputation'], signed: false, latest };
}

const versions = (entries: readonly Entry[]): readonly string[] =>
  versionsInOrder(entries, day).map(({ listing }) => listing.orb_id);
const names = (entries: readonly Entry[]): readonly string[] =>
  namesInOrder(entries, day).map(({ name, entry: { listing } }) => `${name}@${listing.version}`);

describe('the order of the lists', () => {
  it('is score, best first and none last, then name, then newest version', () => {
    const given = [
      entry('b.b@1.0.0', { score: 50 }),
      entry('z.z@1.0.0'),
      entry('a.a@1.0.0', { score: 50 }),
      entry('a.a@1.10.0', { score: 50 }),
      entry('a.a@1.9.0', { score: 50 }),
      entry('c.c@1.0.0', { score: 0 }),
      entry('d.d@1.0.0', { score: 99 }),
    ];
    const expected = ['d.d@1.0.0', 'a.a@1.10.0', 'a.a@1.9.0', 'a.a@1.0.0', 'b.b@1.0.0', 'c.c@1.0.0', 'z.z@1.0.0'];
    expect(versions(given)).to.deep.equal(expected);
    expect(versions([...given].reverse())).to.deep.equal(expected);
  });

  it('puts what was published since the snapshot at the end, by time, whatever its score', () => {
    const at = (minute: string): string => `2026-11-21T00:${minute}:00.000Z`;
    const given = [
      entry('a.new@1.0.0', { score: 99, published_after: day, published_at: at('30') }),
      entry('b.new@1.0.0', { published_after: day, published_at: at('20') }),
      entry('z.old@1.0.0'),
    ];
    expect(versions(given)).to.deep.equal(['z.old@1.0.0', 'b.new@1.0.0', 'a.new@1.0.0']);
  });

  it('puts what is suspended last, after what was published since, whatever its score', () => {
    const given = [
      entry('b.b@1.0.0', { score: 91, suspended: true }),
      entry('a.a@1.0.0', { score: 90, suspended: true, published_after: day, listed_after: day }),
      entry('c.new@1.0.0', { published_after: day, listed_after: day }),
      entry('d.none@1.0.0'),
      entry('e.low@1.0.0', { score: 1 }),
    ];
    expect(versions(given)).to.deep.equal(['e.low@1.0.0', 'd.none@1.0.0', 'c.new@1.0.0', 'a.a@1.0.0', 'b.b@1.0.0']);
    expect(names(given)).to.deep.equal(versions(given));
  });

  it('keeps the place of a name with an older version that is suspended', () => {
    const given = [
      entry('a.a@1.0.0', { score: 90, suspended: true, latest: false }),
      entry('a.a@2.0.0', { published_after: day, listed_after: day }),
      entry('b.b@1.0.0', { score: 80 }),
    ];
    expect(names(given)).to.deep.equal(['a.a@2.0.0', 'b.b@1.0.0']);
    expect(versions(given)).to.deep.equal(['b.b@1.0.0', 'a.a@2.0.0', 'a.a@1.0.0']);
  });

  it('keeps the place of a name that got a new version since, and shows the new one', () => {
    const given = [
      entry('a.a@1.0.0', { score: 90, latest: false }),
      entry('a.a@2.0.0', { published_after: day, listed_after: day }),
      entry('b.b@1.0.0', { score: 80 }),
    ];
    expect(names(given)).to.deep.equal(['a.a@2.0.0', 'b.b@1.0.0']);
  });

  it('keeps the place of a name whose newest version was yanked since', () => {
    const given = [
      entry('a.a@2.0.0', { score: 90, latest: false, status: 'yanked', ended_after: day }),
      entry('a.a@1.0.0', { score: 10 }),
      entry('b.b@1.0.0', { score: 80 }),
    ];
    expect(names(given)).to.deep.equal(['a.a@1.0.0', 'b.b@1.0.0']);
  });

  it('takes the place of a name from what was active at the snapshot', () => {
    const given = [
      entry('a.a@2.0.0', { score: 90, latest: false, status: 'yanked', ended_after: before }),
      entry('a.a@1.0.0', { score: 10 }),
      entry('b.b@1.0.0', { score: 80 }),
    ];
    expect(names(given)).to.deep.equal(['b.b@1.0.0', 'a.a@1.0.0']);
  });

  it('puts a name that became active again since at the end', () => {
    const given = [
      entry('a.a@1.0.0', { score: 90, listed_after: day, listed_at: '2026-11-21T00:00:00.000Z' }),
      entry('b.b@1.0.0', { score: 80 }),
    ];
    expect(names(given)).to.deep.equal(['b.b@1.0.0', 'a.a@1.0.0']);
  });

  it('puts names that had no place at the snapshot at the end, by the time since when each is listed', () => {
    const fresh = (minute: string) => ({ listed_after: day, listed_at: `2026-11-21T00:${minute}:00.000Z` });
    const given = [
      entry('a.a@1.0.0', { score: 90, ...fresh('30') }),
      entry('b.b@1.0.0', fresh('40')),
      entry('c.c@2.0.0', { score: 10, ...fresh('50') }),
      entry('c.c@1.0.0', { latest: false, ...fresh('20') }),
      entry('z.old@1.0.0'),
    ];
    expect(names(given)).to.deep.equal(['z.old@1.0.0', 'c.c@2.0.0', 'a.a@1.0.0', 'b.b@1.0.0']);
    expect(names([...given].reverse())).to.deep.equal(names(given));
  });

  it('leaves out a name without an active version', () => {
    expect(names([entry('a.a@1.0.0', { latest: false, status: 'deprecated', ended_after: day })])).to.deep.equal([]);
  });
});
