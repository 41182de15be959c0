import { expect } from 'chai';
import { send, type Received } from '../../../helpers/http.ts';
import { orb, startWorld, type World } from '../certificate/world.ts';

const unpublished = 'demo.echo@1.0.0';

describe('the badge of an Orb', () => {
  let world: World;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> =>
    send(world.platform.url, path, { headers, method });
  const badge = (query = '', id = orb): Promise<Received> => get(`/reputation/${id}/badge${query}`);
  before(async () => {
    world = await startWorld();
    world.holds('gold');
    world.holds('bronze', unpublished);
    await world.snapshot();
  });
  after(() => world.stop());

  it('is a picture with the headers that let any page show it, and nothing else happen', async () => {
    for (const id of [orb, orb.replace('@', '%40')]) {
      const { status, headers, text } = await badge('', id);
      expect(status).to.equal(200);
      expect(text).to.match(/^<svg [^>]*aria-label="orb: gold · 95"/);
      expect(Object.fromEntries(headers)).to.deep.include({
        'content-type': 'image/svg+xml; charset=utf-8',
        'cache-control': 'public, max-age=300, stale-if-error=86400',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        'ratelimit-policy': '"badge";q=100;w=1',
      });
      expect(headers.get('set-cookie')).to.equal(null);
      expect(headers.get('etag')).to.match(/^"[^"]+"$/);
    }
  });

  it('is not sent again to whoever has it: 304, with its headers and no body', async () => {
    const { headers } = await badge();
    const etag = headers.get('etag') ?? '';
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(`/reputation/${orb}/badge`, { 'if-none-match': given });
      expect([again.status, again.text, again.headers.get('etag')], given).to.deep.equal([304, '', etag]);
      expect(again.headers.get('cache-control')).to.equal(headers.get('cache-control'));
    }
    expect((await get(`/reputation/${orb}/badge`, { 'if-none-match': '"other"' })).status).to.equal(200);
    expect((await badge('?style=social')).headers.get('etag')).not.to.equal(etag);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [whole, head] = [await badge(), await get(`/reputation/${orb}/badge`, {}, 'HEAD')];
    expect([head.status, head.text]).to.deep.equal([200, '']);
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
      expect(head.headers.get(name)).to.equal(whole.headers.get(name));
  });

  it('comes in the styles and metrics of the list, and no other; no colour, logo or link is taken', async () => {
    for (const style of ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social'])
      expect((await badge(`?style=${style}`)).status, style).to.equal(200);
    expect((await badge('?metric=tier')).text).to.contain('aria-label="orb: gold"');
    expect((await badge('?metric=score')).text).to.contain('aria-label="orb: 95"');
    for (const query of [
      'style=popout',
      'metric=runs',
      'color=red',
      'logo=x',
      'link=https://x.example',
      'links=x',
      'label=a&label=b',
    ])
      expect((await badge(`?${query}`)).status, query).to.equal(400);
  });

  const elements = [
    'svg',
    'title',
    'filter',
    'feGaussianBlur',
    'linearGradient',
    'stop',
    'clipPath',
    'rect',
    'g',
    'text',
  ];
  const attributes = [
    ...[
      'xmlns',
      'width',
      'height',
      'role',
      'aria-label',
      'aria-hidden',
      'id',
      'x',
      'y',
      'x2',
      'y2',
      'rx',
      'd',
      'offset',
    ],
    ...['stdDeviation', 'stop-color', 'stop-opacity', 'fill', 'fill-opacity', 'stroke', 'filter', 'transform'],
    ...[
      'clip-path',
      'text-anchor',
      'text-rendering',
      'textLength',
      'shape-rendering',
      'font-family',
      'font-size',
      'line-height',
    ],
    ...['font-weight', 'path', 'style'],
  ];
  const known = new Set([...elements, ...attributes]);
  const hostile: readonly (readonly [string, string, string | undefined])[] = [
    ['a script', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['quotes', `"' onload="alert(1)`, '&quot;&apos; onload=&quot;alert(1)'],
    ['an entity', '&#60;b&#62;', '&amp;#60;b&amp;#62;'],
    ['a closing tag', '</text></svg><b>', '&lt;/text&gt;&lt;/svg&gt;&lt;b&gt;'],
    ['bidi and controls', '\u202egold\u2066\u0007\u009f', 'gold'],
    ['40 characters', 'x'.repeat(40), 'x'.repeat(40)],
    ['U+0000', 'gold\u0000', undefined],
    ['41 characters', 'x'.repeat(41), undefined],
    ['10 kB', 'x'.repeat(10_000), undefined],
  ];
  for (const [name, label, shown] of hostile)
    it(`makes nothing of a label with ${name}`, async () => {
      for (const style of ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social']) {
        const { status, text } = await badge(`?style=${style}&label=${encodeURIComponent(label)}`);
        expect(status).to.equal(shown === undefined ? 400 : 200);
        if (shown === undefined) continue;
        const at = /aria-label="([^"]*): gold · 95"/i.exec(text)?.[1] ?? '';
        expect(at.toLowerCase(), text).to.equal(shown.toLowerCase());
        // What is in quotes cannot end them: they are escaped. What is left are names of elements and attributes.
        const tags = [...text.matchAll(/<([^>]*)>/g)].map(([, tag = '']) =>
          tag.replace(/"[^"]*"/g, '').split(/[\s/=]+/),
        );
        expect(tags.flat().filter((name) => name !== '' && !known.has(name))).to.deep.equal([]);
        expect(text).not.to.match(/[\u0000-\u0008\u202a-\u202e\u2066-\u2069]/);
      }
    });

  it('is a picture too when there is no such Orb, or none for whoever asks: 404', async () => {
    for (const id of ['no.such@1.0.0', unpublished, 'nonsense', '%3Cscript%3E']) {
      const { status, headers, text } = await badge('', id);
      expect(status, id).to.equal(404);
      expect(headers.get('content-type')).to.equal('image/svg+xml; charset=utf-8');
      expect(text).to.contain('aria-label="orb: not found"');
    }
  });

  it('shows the given label when there is no such Orb, under the same rules as any other picture', async () => {
    const [found, missing] = [await badge('?label=mail'), await badge('?label=mail', 'no.such@1.0.0')];
    expect(missing.text).to.contain('aria-label="mail: not found"');
    for (const name of ['cache-control', 'content-security-policy', 'cross-origin-resource-policy', 'vary'])
      expect(missing.headers.get(name), name).to.equal(found.headers.get(name)).and.not.equal(null);
  });

  it('is that of the active version when the name has none', async () => {
    const { status, text } = await badge('', orb.split('@')[0]);
    expect([status, text.includes('gold · 95')]).to.deep.equal([200, true]);
    expect((await get(`/reputation/${orb.split('@')[0]}/badge.json`)).json).to.include({ message: 'gold · 95' });
  });

  it('shows an unpublished Orb to holders of a key, and lets no cache keep it', async () => {
    const bearer = { authorization: `Bearer ${world.platform.adminKey}` };
    const { status, headers, text } = await get(`/reputation/${unpublished}/badge`, bearer);
    expect(status).to.equal(200);
    expect(text).to.contain('bronze · 95');
    expect([headers.get('cache-control'), headers.get('vary')]).to.deep.equal(['no-store', 'Authorization']);
  });

  it('is there for shields.io with the keys that shields.io knows', async () => {
    const { headers, json } = await get(`/reputation/${orb}/badge.json?label=mail`);
    expect(json).to.deep.equal({
      ...{ schemaVersion: 1, label: 'mail', message: 'gold · 95', color: '#8a6d00', isError: false, cacheSeconds: 300 },
    });
    expect(headers.get('content-type')).to.equal('application/json');
    const etag = headers.get('etag') ?? '';
    expect((await get(`/reputation/${orb}/badge.json?label=mail`, { 'if-none-match': etag })).status).to.equal(304);
    expect((await get(`/reputation/no.such@1.0.0/badge.json`)).json).to.include({ code: 'orb_not_found' });
    expect((await get(`/reputation/${orb}/badge.json?style=flat`)).status).to.equal(400);
  });

  it('has a bucket of its own: an empty one leaves other public routes alone', async function () {
    this.timeout(60_000);
    let refused: Received | undefined;
    // A slow machine may need more than one second's worth.
    for (let round = 0; round < 50 && refused === undefined; round++) {
      const answers = await Promise.all(Array.from({ length: 150 }, () => badge()));
      refused = answers.find(({ status }) => status === 429);
    }
    expect(refused?.headers.get('retry-after')).to.equal('1');
    expect((await get('/.well-known/did.json')).status).to.equal(200);
  });
});

describe('a badge that may be kept for longer', () => {
  it('says so to shields.io too', async () => {
    const world = await startWorld({ maxAge: 900 });
    try {
      const { headers, json } = await send(world.platform.url, `/reputation/${orb}/badge.json`);
      expect(json).to.include({ cacheSeconds: 900 });
      expect(headers.get('cache-control')).to.include('max-age=900');
    } finally {
      await world.stop();
    }
  });
});

describe('a badge that may not be kept', () => {
  it('says so: no-store, and shields.io still gets its least', async () => {
    const world = await startWorld({ maxAge: 0 });
    try {
      world.holds('gold');
      const { headers } = await send(world.platform.url, `/reputation/${orb}/badge`);
      expect(headers.get('cache-control')).to.equal('no-store');
      const { json } = await send(world.platform.url, `/reputation/${orb}/badge.json`);
      expect(json).to.include({ cacheSeconds: 300 });
    } finally {
      await world.stop();
    }
  });
});
