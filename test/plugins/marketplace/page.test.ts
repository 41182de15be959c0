import { expect } from 'chai';
import { pages } from '../../helpers/written-page.ts';
import { send, type Received } from '../../helpers/http.ts';
import { startMarket, type Market } from './market.ts';

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`;
const ids = ['demo.hostile@1.0.0', 'demo.old@1.0.0', 'demo.old@2.0.0'];

// As the ledger has it of an Orb that nobody has run.
const noRuns = {
  ...{ window_start: '2026-05-25', window_end: '2026-11-20', runs_counted: 0, effective_runs_milli: 0 },
  ...{ effective_callers_milli: 0, callers: 0, active_days: 0, reliability_micro: 0 },
};

describe('the pages of the marketplace', function () {
  this.timeout(60_000);
  let market: Market;
  const page = (path: string): Promise<Received> => send(market.url, path);
  const publish = async (orb_id: string, listing: object = {}): Promise<void> => {
    const sent = await send(market.url, '/marketplace/orbs/publish', {
      key: market.adminKey,
      json: { orb_id, listing },
    });
    expect(sent.status, sent.text).to.equal(201);
  };
  before(async () => {
    market = await startMarket(ids);
    await publish('demo.hostile@1.0.0', {
      title: hostile,
      description: hostile,
      readme: `# ${hostile}\n\n${hostile}\n\n[x](javascript:alert(1))`,
      homepage: "https://example.com/?q='onclick=alert(1)",
      license: hostile,
    });
    await publish('demo.old@1.0.0');
    await publish('demo.old@2.0.0');
    await publish('demo.echo@1.0.0', { category: 'toys' });
    market.ledger.set('demo.echo@1.0.0', {
      score: 88,
      tier: 'gold',
      limited_by: 'latency',
    });
    market.ledger.set('demo.old@1.0.0', {
      next_tier: { tier: 'bronze', unmet: [{ gate: 'x', needed: '', present: '', detail: 'Needs more runs.' }] },
    });
    market.ledger.set('demo.old@2.0.0', { basis: noRuns });
    market.ledger.certify('demo.echo@1.0.0', {
      certificate_id: 'crt_x',
      tier: 'gold',
      status: 'valid',
      issued_at: '2026-11-20T00:00:00.000Z',
      expires_at: '2026-12-20T00:00:00.000Z',
    });
    market.ledger.snapshot('2026-11-20');
  });
  after(() => market.stop());

  const paths = ['/marketplace', `/marketplace?q=${encodeURIComponent(hostile)}`, '/marketplace/demo.hostile@1.0.0'];
  for (const path of paths)
    it(`make hostile texts inert at ${path.slice(0, 40)}`, async () => {
      const { status, text: whole, headers } = await page(path);
      expect(status).to.equal(200);
      // The one script is the program's own, which the policy names by its hash.
      const text = whole.replace(`<script>${pages.copyScript}</script>`, '');
      expect(text).not.to.match(/<script|<img src=x|onerror='|javascript:/i);
      // Whatever is between < and > is of our own templates.
      for (const [tag] of text.matchAll(/<[a-z](?:"[^"]*"|[^">])*>/gi))
        expect(tag.replace(/"[^"]*"/g, '')).not.to.match(/['`(]|\son\w+\s*=/i);
      expect(headers.get('content-security-policy')).to.match(/^default-src 'none'; style-src 'sha256-/);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('set-cookie')).to.equal(null);
    });

  it('show one card per name: title, name, version, publisher, tier, score, runs', async () => {
    const { text } = await page('/marketplace');
    expect(text.match(/<article/g)).to.have.lengthOf(3);
    const card = /<article[^>]*>((?:(?!<\/article>)[^])*demo\.echo[^]*?)<\/article>/.exec(text)?.[1] ?? '';
    for (const field of [
      'Echo',
      'demo.echo@1.0.0',
      'Answers with the text',
      'By demo',
      'Gold',
      '88',
      'runs in 30 days',
    ])
      expect(card).to.include(field);
    expect(text.indexOf('demo.echo')).to.be.lessThan(text.indexOf('demo.old'));
  });

  it('search, filter and sort without a script', async () => {
    const cards = async (query: string): Promise<readonly string[]> =>
      [...(await page(`/marketplace?${query}`)).text.matchAll(/<p class="mono">([^<@]+)@/g)].map(
        ([, name = '']) => name,
      );
    expect(await cards('q=demo.echo')).to.deep.equal(['demo.echo']);
    expect(await cards('tier=gold')).to.deep.equal(['demo.echo']);
    expect(await cards('category=toys&namespace=demo')).to.deep.equal(['demo.echo']);
    expect(await cards('sort=name')).to.deep.equal(['demo.echo', 'demo.hostile', 'demo.old']);
    expect(await cards('q=zzz')).to.deep.equal([]);
    // Links get decorated on their way, and a form sends what is empty.
    expect(await cards('q=&tier=&utm_source=mail&fbclid=1')).to.have.lengthOf(3);
    expect((await page('/marketplace?q=zzz')).text).to.include('No Orbs match');
  });

  it('say what the score is made of, what holds it down, and what the next tier needs', async () => {
    const { text } = await page('/marketplace/demo.echo%401.0.0');
    for (const part of ['reliability', 'contract', 'latency', 'integrity', 'incidents', 'maturity', 'freshness'])
      expect(text).to.match(new RegExp(`<h3>${part}</h3>`));
    expect(text).to.include('Limited by latency.').and.include('granted by the operator');
    expect(text).to.include('src="/reputation/demo.echo%401.0.0/badge"');
    expect(text).to.include('Score 88 of 100');
    expect((await page('/marketplace/demo.old%401.0.0')).text).to.include('Needs more runs.');
  });

  it('begin with how to call it: a request that the schema takes, inputs, outputs, and the address for agents', async () => {
    const { text } = await page('/marketplace/demo.echo@1.0.0');
    expect(text.indexOf('id="call"')).to.be.greaterThan(0).and.lessThan(text.indexOf('id="about"'));
    expect(text.indexOf('id="about"')).to.be.lessThan(text.indexOf('id="anatomy"'));
    const shown = (id: string): string =>
      (new RegExp(`<code id="${id}">([^]*?)</code>`).exec(text)?.[1] ?? '').replace(/&#(\d+);/g, (_, sign: string) =>
        String.fromCharCode(Number(sign)),
      );
    const body = JSON.parse(/-d '([^]*)'$/.exec(shown('curl'))?.[1] ?? '') as { inputs: { text: string } };
    const ran = await send(market.url, '/orbisets/default/execute', { key: market.adminKey, json: body });
    expect(ran.json['outputs']).to.deep.equal(body.inputs);
    expect(shown('mcp')).to.include('/orbisets/default/mcp');
    expect(text).to.include('<code>text</code>').and.include('The text that comes back');
  });

  it('say why a version is suspended and what ends it, and show no score or tier of before', async () => {
    market.ledger.set('demo.old@1.0.0', {
      ...{ score: 91, suspended: true, status: 'suspended', tier: 'none', suspended_tier: 'gold' },
      suspension_causes: ['integrity_incident', 'operator'],
      next_tier: { tier: 'platinum', unmet: [] },
    });
    market.ledger.snapshot('2026-11-21');
    const { text } = await page('/marketplace/demo.old@1.0.0');
    for (const words of [
      'One of its receipts fails verification. The operator suspended it.',
      'What next?',
      'Gold returns then.',
    ])
      expect(text.replace(/\s+/g, ' ')).to.include(words);
    expect(text)
      .to.include('No score while suspended')
      .and.not.match(/Score 91|>Platinum|Platinum</);
  });

  it('say of a version without a score what counts, and show no bars of nothing', async () => {
    const { text } = await page('/marketplace/demo.old@2.0.0');
    expect(text)
      .to.include('No score yet.')
      .and.include('What next?')
      .and.include('No score yet. Later, this section shows');
    expect(text).to.include('No runs counted yet.');
    expect(text).to.not.match(/only its publisher|class="points"|Effective runs/);
  });

  it('show no tier that nobody can reach', async () => {
    const { text } = await page('/marketplace/demo.echo%401.0.0');
    expect(text)
      .to.include('Gold')
      .and.not.match(/platinum<|Platinum/);
    expect((await page('/marketplace?tier=platinum')).text.match(/<article/g)).to.have.lengthOf(3);
  });

  it('show the certificate, and what verifying it finds when asked', async () => {
    const plain = (await page('/marketplace/demo.echo@1.0.0')).text;
    expect(plain).to.include('Gold, valid.').and.include('crt_x').and.not.include('Verified.');
    const verified = (await page('/marketplace/demo.echo@1.0.0?verify=1')).text;
    expect(verified)
      .to.include('Verified.')
      .and.match(/Issuer trusted:\s+passed/);
    expect((await page('/marketplace/demo.old@1.0.0?verify=1')).text).to.include('No certificate yet.');
  });

  it('link the versions of a name', async () => {
    const { text } = await page('/marketplace/demo.old@1.0.0');
    expect(text)
      .to.include('href="/marketplace/demo.old%402.0.0"')
      .and.include('<span aria-current="page">1.0.0</span>');
  });

  it('answer a page for what is not published: 404', async () => {
    const { status, text, headers } = await page('/marketplace/%3Cscript%3E@1.0.0');
    expect([status, headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(text).to.include('Not published').and.not.include('<script');
  });
});
