import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../../../helpers/platform.ts';

interface Result {
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
}

describe('GET /search', function () {
  let platform: TestPlatform;
  let own: { readonly key_id: string; readonly principal: string };
  let source: string;
  before(async () => {
    platform = await startPlatform({
      platform: { providers: { 'echo-main': { adapter: 'echo/local' } } },
      data: {
        'orbisets/acme.json': { id: 'acme', tenant: 'acme', orbs: ['*'] },
        'orbisets/other.json': { id: 'other', tenant: 'other', orbs: ['*'] },
      },
    });
    const body = { scopes: ['runs:read'], tenant: 'acme', name: 'Acme night shift', principal_name: 'Acme robot' };
    own = (await platform.call('POST', '/keys', body)).body;
    const made = await platform.call('POST', '/sources', {
      ...{ name: 'Night alarms', vendor: 'generic', auth: { scheme: 'url' } },
      binding: { kind: 'orb', id: 'demo.echo@1.0.0' },
    });
    source = made.body.source.source_id;
  });
  after(() => platform.stop());

  const search = async (q: string, key?: string): Promise<readonly string[]> => {
    const { status, body } = await platform.call('GET', `/search?q=${encodeURIComponent(q)}`, undefined, key);
    expect(status).to.equal(200);
    return body.results.map(({ kind, id, name }: Result) => `${kind} ${id}${name === undefined ? '' : `: ${name}`}`);
  };

  it('finds an Orb by its id and by its title, in any case', async () => {
    const [byId] = await search('DEMO.ECHO');
    expect(byId).to.match(/^orb demo\.echo@1\.0\.0: /);
    const title = String(byId?.split(': ')[1]);
    expect(await search(title.toUpperCase())).to.include(byId);
  });

  it('finds providers, Orbisets, policies, sources, keys and callers', async () => {
    expect(await search('echo-m')).to.deep.equal(['provider echo-main: echo-main (echo/local)']);
    expect(await search('acme')).to.deep.equal([
      'orbiset acme',
      `key ${own.key_id}: Acme night shift`,
      `principal ${own.principal}: Acme robot`,
    ]);
    expect(await search('night')).to.have.members([
      `source ${source}: Night alarms`,
      `key ${own.key_id}: Acme night shift`,
    ]);
    const policies = (await platform.call('GET', '/policies')).body.policies as readonly { readonly id: string }[];
    expect(await search(policies[0]?.id ?? '')).to.include(`policy ${policies[0]?.id}`);
  });

  it('finds an incident by its title, for a key that may read incidents', async () => {
    const scope = [{ kind: 'orb', id: 'demo.echo@1.0.0' }];
    const wish = { title: 'Mail is slow in Lisbon', severity: 'warning', scope };
    const { incident_id, code } = (await platform.call('POST', '/incidents', wish)).body;
    expect(code).to.equal(undefined);
    const found = `incident ${incident_id}: ${wish.title}`;
    expect(await search('slow in lis')).to.deep.equal([found]);
    expect(await search(incident_id)).to.include(found);
    const key = (await platform.call('POST', '/keys', { scopes: ['runs:read'] })).body.key;
    expect(await search('slow in lis', key)).to.deep.equal([]);
  });

  it('finds the name of an id', async () => {
    expect(await search(own.principal)).to.deep.equal([`principal ${own.principal}: Acme robot`]);
  });

  it('ranks the whole text before its beginning, this before the beginning of a word, and this before any part', async () => {
    // No id has these letters: Crockford's base 32 leaves I and L out.
    const ranked = ['ill', 'ill top', 'top ill', 'topill'];
    for (const name of ranked) await platform.call('POST', '/keys', { scopes: ['runs:read'], name });
    const found = await search('ill');
    const names = found.filter((one) => one.startsWith('key')).map((one) => one.split(': ')[1]);
    expect(names).to.deep.equal(ranked);
  });

  it('shows a key nothing that it may not read, and nothing of another tenant', async () => {
    const reader = await platform.key({ scopes: ['orbs:read'], tenant: 'acme' });
    expect(await search('echo-m', reader)).to.deep.equal([]);
    expect(await search('other', reader)).to.deep.equal([]);
    expect(await search('acme', reader)).to.deep.equal(['orbiset acme']);
    const keeper = await platform.key({ scopes: ['keys:manage'], tenant: 'other' });
    expect(await search('acme', keeper)).to.deep.equal([]);
  });

  it('answers no more than it is asked for, and refuses an empty text', async () => {
    expect((await platform.call('GET', '/search?q=e&limit=2')).body.results).to.have.length(2);
    expect((await platform.call('GET', '/search?q=')).body.code).to.equal('invalid_parameter');
    expect((await platform.call('GET', '/search?q=e', undefined, null)).body.code).to.equal('unauthenticated');
  });
});
