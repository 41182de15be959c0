import { expect } from 'chai';
import { expectProblem, send, type Received } from '../../helpers/http.ts';
import { startMarket, type Market } from './market.ts';
import type { Tier } from '../../../plugins/ledger/shapes.ts';

interface Listed {
  readonly orb_id: string;
  readonly name: string;
}

const scores: readonly (readonly [string, number | null, Tier])[] = [
  ['demo.gold@1.0.0', 95, 'gold'],
  ['demo.silver@1.0.0', 80, 'silver'],
  ['http.bronze@1.0.0', 61, 'bronze'],
  ['http.bronze@1.1.0', 64, 'bronze'],
  ['notify.none@1.0.0', null, 'none'],
];
const suspended = 'http.suspended@1.0.0';
const later = Array.from({ length: 30 }, (_, index) => `demo.later-${String(index).padStart(2, '0')}@1.0.0`);

describe('the lists of the marketplace', function () {
  this.timeout(60_000);
  let market: Market;
  const get = (path: string): Promise<Received> => send(market.url, path, { key: market.adminKey });
  const open = (query = '', headers = {}): Promise<Received> =>
    send(market.url, `/marketplace/orbs/public${query}`, { headers });
  const publish = (orb_id: string, listing: object = {}): Promise<Received> =>
    send(market.url, '/marketplace/orbs/publish', { key: market.adminKey, json: { orb_id, listing } });
  const orbs = ({ json }: Received): readonly Listed[] => json['orbs'] as readonly Listed[];
  const ids = (received: Received): readonly string[] => orbs(received).map(({ orb_id }) => orb_id);
  const names = (received: Received): readonly string[] => orbs(received).map(({ name }) => name);

  before(async () => {
    market = await startMarket([...scores.map(([id]) => id), ...later, suspended]);
    for (const [orb_id, score, tier] of scores) {
      const listing = { category: orb_id.startsWith('demo') ? 'toys' : 'tools', tags: [tier] };
      expect((await publish(orb_id, listing)).status).to.equal(201);
      market.ledger.set(orb_id, { score, tier, usage: { runs_30d: (score ?? 0) % 7, callers_30d: 1 } });
    }
    market.ledger.snapshot('2026-11-20');
  });
  after(() => market.stop());

  it('stand in the order of the last snapshot', async () => {
    expect(ids(await get('/marketplace/orbs'))).to.deep.equal([
      'demo.gold@1.0.0',
      'demo.silver@1.0.0',
      'http.bronze@1.1.0',
      'http.bronze@1.0.0',
      'notify.none@1.0.0',
    ]);
    expect(names(await open())).to.deep.equal(['demo.gold', 'demo.silver', 'http.bronze', 'notify.none']);
  });

  const queries: readonly (readonly [string, readonly string[]])[] = [
    ['tier=bronze', ['http.bronze@1.1.0', 'http.bronze@1.0.0']],
    ['tier=none', ['notify.none@1.0.0']],
    ['min_tier=silver', ['demo.gold@1.0.0', 'demo.silver@1.0.0']],
    ['namespace=http', ['http.bronze@1.1.0', 'http.bronze@1.0.0']],
    ['category=toys', ['demo.gold@1.0.0', 'demo.silver@1.0.0']],
    ['q=SILVER', ['demo.silver@1.0.0']],
    [`q=${encodeURIComponent('ＳＩＬＶＥＲ')}`, ['demo.silver@1.0.0']],
    ['q=demo%20gold', ['demo.gold@1.0.0']],
    ['q=demo+bronze', []],
    ['status=deprecated', []],
    [
      'sort=name',
      ['demo.gold@1.0.0', 'demo.silver@1.0.0', 'http.bronze@1.1.0', 'http.bronze@1.0.0', 'notify.none@1.0.0'],
    ],
    ['sort=name&order=desc&limit=2', ['notify.none@1.0.0', 'http.bronze@1.1.0']],
    ['sort=published&order=asc&limit=2', ['demo.gold@1.0.0', 'demo.silver@1.0.0']],
    [
      'sort=score&order=asc',
      ['http.bronze@1.0.0', 'http.bronze@1.1.0', 'demo.silver@1.0.0', 'demo.gold@1.0.0', 'notify.none@1.0.0'],
    ],
    ['sort=runs&limit=2', ['http.bronze@1.0.0', 'demo.gold@1.0.0']],
    ['limit=2&offset=3', ['http.bronze@1.0.0', 'notify.none@1.0.0']],
  ];
  for (const [query, expected] of queries)
    it(`answer ?${query}`, async () => expect(ids(await get(`/marketplace/orbs?${query}`))).to.deep.equal(expected));

  it('count facets by all other filters', async () => {
    const { json } = await get('/marketplace/orbs?facets=true&tier=gold&namespace=demo');
    expect(json['facets']).to.deep.equal({
      tier: { gold: 1, silver: 1 },
      namespace: { demo: 1 },
      category: { toys: 1 },
      status: { active: 1 },
    });
    expect((await get('/marketplace/orbs')).json).not.to.have.property('facets');
  });

  for (const path of ['/marketplace/orbs', '/marketplace/orbs/public'])
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=abc',
      'offset=-1',
      'offset=10001',
      'limit=',
      'page=1',
      'limit=1&limit=2',
    ])
      it(`refuse ${path}?${query}: 400, nothing is clamped`, async () =>
        expectProblem(await get(`${path}?${query}`), 400, 'invalid_parameter'));

  for (const query of [
    'tier=platinum',
    'min_tier=platinum',
    'tier=wood',
    'min_tier=',
    'sort=luck',
    'order=up',
    'status=yanked',
    'facets=maybe',
    'q=',
  ])
    it(`refuse ?${query}`, async () =>
      expectProblem(await get(`/marketplace/orbs?${query}`), 400, 'invalid_parameter'));

  it('say where the pages lie, absolute and with every parameter kept', async () => {
    const { headers, json } = await get('/marketplace/orbs?category=toys&limit=1&offset=0&facets=false&q=demo');
    expect(json).to.include({ total: 2, limit: 1, offset: 0 });
    expect(headers.get('x-total-count')).to.equal('2');
    const links = new Map(
      [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url = '', rel = '']) => [rel, url]),
    );
    expect([...links.keys()]).to.deep.equal(['next', 'first', 'last']);
    const next = new URL(links.get('next') ?? '');
    expect(Object.fromEntries(next.searchParams)).to.include({ category: 'toys', q: 'demo', limit: '1', offset: '1' });
    const second = await get(`${next.pathname}${next.search}`);
    expect(second.headers.get('link'))
      .to.match(/rel="prev"/)
      .and.not.match(/rel="next"/);
    expect(ids(second)).to.deep.equal(['demo.silver@1.0.0']);
  });

  it('show everybody four fields of a name and nothing else', async () => {
    const { json, headers } = await open();
    expect(json).to.have.all.keys('orbs');
    for (const orb of orbs({ json } as Received))
      expect(orb).to.have.all.keys('name', 'description', 'certification_tier', 'reputation_score');
    expect(json['orbs']).to.deep.include({
      name: 'http.bronze',
      description: 'What http.bronze@1.1.0 does.',
      certification_tier: 'bronze',
      reputation_score: 64,
    });
    expect(headers.get('x-total-count')).to.equal('4');
    expect(headers.get('cache-control')).to.equal('public, max-age=60');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(headers.get('set-cookie')).to.equal(null);
  });

  it('say up to where runs are counted while the ledger is behind: in the body, to everybody in a header', async () => {
    const asOf = { origin: 'ins_1.orb/receipts/0', index: 7 };
    const before = await open();
    market.ledger.behind(asOf);
    const [keyed, shown] = [await get('/marketplace/orbs'), await open()];
    market.ledger.behind();
    expect(keyed.json['as_of']).to.deep.equal(asOf);
    expect([shown.headers.get('x-as-of'), before.headers.get('x-as-of')]).to.deep.equal([
      'ins_1.orb/receipts/0@7',
      null,
    ]);
    expect(shown.json).to.deep.equal(before.json);
    expect(shown.headers.get('etag')).not.to.equal(before.headers.get('etag'));
    expect((await open()).headers.get('etag')).to.equal(before.headers.get('etag'));
  });

  it('answer 304 to whoever has the public page already, until it changes', async () => {
    const etag = (await open()).headers.get('etag') ?? '';
    expect(etag).to.match(/^"[\w-]{43}"$/);
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, text, headers } = await open('', { 'if-none-match': header });
      expect([status, text, headers.get('etag')], header).to.deep.equal([304, '', etag]);
    }
    expect((await open('', { 'if-none-match': '"x"' })).status).to.equal(200);
    expect((await open('?limit=1', { 'if-none-match': etag })).status).to.equal(200);
  });

  it('hold together while publishing goes on: the union of the pages has no name twice and misses none', async () => {
    const seen: string[] = [];
    const held = names(await open('?limit=100'));
    const rest = [...later];
    for (let offset = 0; ; offset += 2) {
      const page = names(await open(`?limit=2&offset=${offset}`));
      seen.push(...page);
      if (page.length < 2 && rest.length === 0) break;
      const batch = rest.splice(0, 3);
      for (const orb_id of batch) expect((await publish(orb_id)).status).to.equal(201);
    }
    expect(new Set(seen).size).to.equal(seen.length);
    expect(seen.slice(0, held.length)).to.deep.equal(held);
    expect([...seen].sort()).to.deep.equal([...names(await open('?limit=100'))].sort());
  });

  it('take the next snapshot over: what was published since finds its place', async () => {
    market.ledger.set('demo.later-29@1.0.0', { score: 99, tier: 'gold' });
    expect(names(await open('?limit=1'))).to.deep.equal(['demo.gold']);
    market.ledger.snapshot('2026-11-21');
    expect(names(await open('?limit=1'))).to.deep.equal(['demo.later-29']);
  });

  it('give everybody who asks without a query as much as a page holds, and holders of a key 20', async () => {
    const all = await open();
    expect(orbs(all)).to.have.length(34);
    expect(all.headers.get('x-total-count')).to.equal('34');
    expect(all.headers.get('link'))
      .to.match(/limit=100&offset=0/)
      .and.not.match(/rel="next"/);
    expect((await get('/marketplace/orbs')).json).to.include({ limit: 20, offset: 0, total: 35 });
  });

  it('show what is suspended last, at once, without a score, and say so to holders of a key', async () => {
    expect((await publish(suspended)).status).to.equal(201);
    market.ledger.set(suspended, { score: 91, limited_by: 'latency', suspended: true, status: 'suspended' });
    market.ledger.snapshot('2026-11-22');
    const [last] = orbs(await open()).slice(-1);
    expect(last).to.include({ name: 'http.suspended', certification_tier: 'none', reputation_score: null });
    for (const query of ['', '&sort=score&order=asc']) {
      const listed = orbs(await get(`/marketplace/orbs?limit=100${query}`));
      expect(listed.at(-1)).to.include({ orb_id: suspended, standing: 'suspended', reputation_score: null });
      expect(listed.at(-1)).not.to.have.property('score_limited_by');
      expect(listed.filter((orb) => 'standing' in orb && orb.standing === 'active')).to.have.length(35);
    }
    const { text } = await send(market.url, '/marketplace?q=http.suspended');
    expect(text)
      .to.match(/–<\/strong\s*><span>suspended/)
      .and.not.include('91');
  });

  it('show one version with all that its publisher said, and say so of one that was never published', async () => {
    const { json } = await get('/marketplace/orbs/demo.gold%401.0.0');
    expect(json).to.include({ orb_id: 'demo.gold@1.0.0', readme: '', status: 'active', latest: true });
    expect(json['receipt_id']).to.match(/^rec_/);
    expectProblem(await get('/marketplace/orbs/demo.echo@1.0.0'), 404, 'listing_not_found');
  });

  it('show the keyed list to any key, however narrow, and to nobody else', async () => {
    const made = await send(market.url, '/keys', {
      key: market.adminKey,
      json: { scopes: ['orbs:execute:notify.*'], tenant: 'acme' },
    });
    const key = String(made.json['key']);
    expect((await send(market.url, '/marketplace/orbs', { key })).json['total']).to.equal(36);
    expectProblem(await send(market.url, '/marketplace/orbs'), 401, 'unauthenticated');
  });
});
