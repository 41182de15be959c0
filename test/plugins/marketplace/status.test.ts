import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { writeOrb } from './orbs.ts';

const ids = ['demo.one@1.0.0', 'demo.one@1.1.0', 'demo.two@1.0.0', 'demo.bad@1.0.0', 'demo.worse@1.0.0'];

describe('the life of a listing', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const change = (orbId: string, body: object, key?: string): Promise<Answer> =>
    platform.call('PATCH', `/marketplace/orbs/${encodeURIComponent(orbId)}/status`, body, key);
  const code = ({ status, body }: Answer): unknown[] => [status, body.code];
  const listed = async (): Promise<readonly string[]> =>
    (await platform.call('GET', '/marketplace/orbs')).body.orbs.map(({ orb_id }: { orb_id: string }) => orb_id);
  const open = async (): Promise<readonly string[]> =>
    (await platform.call('GET', '/marketplace/orbs/public', undefined, null)).body.orbs.map(
      ({ name }: { name: string }) => name,
    );
  const facts = async (orbId: string): Promise<object> => {
    const { body } = await platform.call('GET', `/marketplace/orbs/${orbId}`);
    return (await platform.call('GET', `/receipts/${body.receipt_id}`)).body.statement.predicate.facts;
  };
  const standings = async (orbId: string): Promise<number> => {
    const { body } = await platform.call('GET', `/receipts?orb=${encodeURIComponent(orbId)}&limit=100`);
    return body.receipts.filter(({ kind }: { kind: string }) => kind === 'standing').length;
  };

  before(async () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-status-'));
    for (const orbId of ids) writeOrb(home, orbId);
    platform = await startPlatform({ home });
    for (const orb_id of ids) await platform.call('POST', '/marketplace/orbs/publish', { orb_id });
  });
  after(() => platform.stop());

  it('goes from active to deprecated with a message and a replacement, attested, and back', async () => {
    const body = { status: 'deprecated', reason: 'Use the other.', replacement: 'demo.two@1.0.0' };
    const deprecated = await change('demo.one@1.1.0', body);
    expect(deprecated.body).to.include({
      status: 'deprecated',
      status_message: 'Use the other.',
      replacement: 'demo.two@1.0.0',
      latest: false,
    });
    expect(await facts('demo.one@1.1.0')).to.include({ change: 'deprecated', reason: 'Use the other.' });
    expect(await listed()).to.include('demo.one@1.1.0');
    const older = (await platform.call('GET', '/marketplace/orbs/demo.one@1.0.0')).body;
    expect(older.latest).to.equal(true);
    const back = await change('demo.one@1.1.0', { status: 'active', reason: 'It was a mistake.' });
    expect(back.body)
      .to.include({ status: 'active', latest: true })
      .and.not.have.any.keys('status_message', 'replacement');
    expect(await facts('demo.one@1.1.0')).to.include({ change: 'published', reason: 'It was a mistake.' });
  });

  it('stays deprecated when its texts are published again, and the log says so', async () => {
    await change('demo.one@1.1.0', { status: 'deprecated', reason: 'Use the other.' });
    const before = await standings('demo.one@1.1.0');
    const listing = { description: 'Said better' };
    const again = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.one@1.1.0', listing });
    expect(again.status).to.equal(200);
    const { body } = await platform.call('GET', '/marketplace/orbs/demo.one@1.1.0');
    expect(body).to.include({ status: 'deprecated', status_message: 'Use the other.', description: 'Said better' });
    expect(await facts('demo.one@1.1.0')).to.include({ change: 'deprecated', reason: 'Use the other.' });
    const { body: once } = await platform.call('POST', '/marketplace/orbs/publish', {
      orb_id: 'demo.one@1.1.0',
      listing,
    });
    expect(once, 'the same again changes nothing').to.deep.equal(again.body);
    // Between two entries a crash would leave the first as the last word.
    expect(await standings('demo.one@1.1.0')).to.equal(before + 1);
    await change('demo.one@1.1.0', { status: 'active', reason: 'It was a mistake.' });
  });

  it('takes a name without an active version off the public list, and keeps it on the keyed one', async () => {
    await change('demo.two@1.0.0', { status: 'deprecated', reason: 'Old.' });
    expect(await open()).not.to.include('demo.two');
    expect(await listed()).to.include('demo.two@1.0.0');
    await change('demo.two@1.0.0', { status: 'active', reason: 'Not so old.' });
    expect(await open()).to.include('demo.two');
  });

  it('ends by yanking: off both lists, for good, still readable', async () => {
    expect((await change('demo.bad@1.0.0', { status: 'yanked', reason: 'Broken.' })).body.status).to.equal('yanked');
    expect(await listed()).not.to.include('demo.bad@1.0.0');
    expect(await open()).not.to.include('demo.bad');
    expect(await facts('demo.bad@1.0.0')).to.include({ change: 'yanked', reason: 'Broken.' });
    for (const status of ['active', 'deprecated'])
      expect(code(await change('demo.bad@1.0.0', { status, reason: 'x' }))).to.deep.equal([409, 'listing_final']);
    const asked = await platform.call('GET', '/marketplace/orbs?orb_id=demo.bad@1.0.0');
    expect([asked.body.total, asked.body.orbs[0].status], 'asked for by its id').to.deep.equal([1, 'yanked']);
    const published = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.bad@1.0.0' });
    expect(code(published)).to.deep.equal([409, 'version_published']);
    expect((await platform.call('GET', '/marketplace/demo.bad@1.0.0', undefined, null)).body).to.match(
      /Yanked permanently/,
    );
  });

  it('leaves a tombstone after a removal, which is for the operator alone', async () => {
    const publisher = await platform.key({ scopes: ['marketplace:publish'] });
    const removal = { status: 'removed', reason: 'Steals keys.', cause: 'malware' };
    expect(code(await change('demo.worse@1.0.0', removal, publisher))).to.deep.equal([403, 'insufficient_scope']);
    const { cause: _, ...without } = removal;
    expect((await change('demo.worse@1.0.0', without)).body.errors[0].pointer).to.equal('#/cause');
    expect((await change('demo.worse@1.0.0', removal)).status).to.equal(200);
    const { body } = await platform.call('GET', '/marketplace/orbs/demo.worse@1.0.0');
    expect(body).to.include({
      title: 'Removed',
      readme: '',
      status: 'removed',
      status_message: 'malware: Steals keys.',
    });
    expect(code(await change('demo.worse@1.0.0', { status: 'yanked', reason: 'x' }))).to.deep.equal([
      409,
      'listing_final',
    ]);
    const again = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.worse@1.0.0' });
    expect(code(again)).to.deep.equal([409, 'version_published']);
    const page = await platform.call('GET', '/marketplace/demo.worse@1.0.0', undefined, null);
    expect([page.status, String(page.body).includes('What demo.worse')]).to.deep.equal([410, false]);
  });

  it('says so again when it is so already', async () => {
    const again = await change('demo.bad@1.0.0', { status: 'yanked', reason: 'Broken.' });
    expect(again.status).to.equal(200);
    expect(await facts('demo.bad@1.0.0')).to.include({ reason: 'Broken.' });
  });

  it("is changed by the namespace's tenant alone", async () => {
    const stranger = await platform.key({ scopes: ['marketplace:publish'], tenant: 'acme' });
    const refused = await change('demo.one@1.0.0', { status: 'yanked', reason: 'x' }, stranger);
    expect([...code(refused), refused.body.reasons[0].code]).to.deep.equal([
      403,
      'access_denied',
      'namespace_not_yours',
    ]);
  });

  it('needs a reason, one line of it', async () => {
    for (const body of [{ status: 'yanked' }, { status: 'yanked', reason: '  ' }, { status: 'yanked', reason: 'a\nb' }])
      expect(code(await change('demo.one@1.0.0', body))).to.deep.equal([422, 'invalid_body']);
    expect(code(await change('demo.one@9.0.0', { status: 'yanked', reason: 'x' }))).to.deep.equal([
      404,
      'listing_not_found',
    ]);
    const itself = { status: 'deprecated', reason: 'x', replacement: 'demo.one@1.0.0' };
    expect(code(await change('demo.one@1.0.0', itself))).to.deep.equal([422, 'listing_invalid']);
  });
});
