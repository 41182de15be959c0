import { expect } from 'chai';
import { lateClock, startIngestion, type IngestionHome, type MadeSource } from '../../home.ts';
import { cases, requestOf, type VendorCase } from './cases.ts';
import { vendorNames } from '../../../../../plugins/ingestion/signals/words.ts';

describe('the vendors', function () {
  this.timeout(120_000);
  const clock = lateClock();
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  it('are all in the table', () => {
    expect(cases.map(({ vendor }) => vendor).sort()).to.deep.equal([...vendorNames].sort());
  });

  for (const one of cases) describe(one.vendor, () => vendorTests(one, () => home, clock));
});

function vendorTests(one: VendorCase, home: () => IngestionHome, clock: ReturnType<typeof lateClock>): void {
  const make = (): Promise<MadeSource> => home().source({ name: one.vendor, vendor: one.vendor, ...one.source });
  const send = (source: MadeSource, name: string, secret = source.secret) =>
    home().hook(source.path, requestOf(one, name, secret, clock.now()));
  const signals = async (id: string) => (await home().settled(id)).signals;

  it('accepts a golden delivery, and says how surely it came from its source', async () => {
    const [name, expected] = one.golden;
    const answer = await send(await make(), name);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    expect(answer.body).to.have.all.keys('delivery_id', 'status');
    const { delivery, signals } = await home().settled(answer.body.delivery_id);
    expect(delivery).to.include({ state: 'done', auth_strength: one.strength, secret_version: 1, test: false });
    expect(signals[0]).to.deep.include({ ...expected, auth_strength: one.strength, test: false });
    expect(signals[0].body_digest).to.equal(delivery.digest);
  });

  it('refuses a wrong secret, and a changed byte, with one and the same answer; without a proof it names its place', async () => {
    const source = await make();
    const [name] = one.golden;
    const wrong = await send(source, name, otherSecret(source.secret));
    const right = requestOf(one, name, source.secret, clock.now());
    // Where nothing covers the bytes, the byte is one of the secret's.
    const tampered = await home().hook(
      source.path,
      one.signed
        ? { ...right, body: right.body.replace('2026', '2027').replace('true', 'null') }
        : requestOf(
            one,
            name,
            source.secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
            clock.now(),
          ),
    );
    const bare = await home().hook(source.path, { headers: { 'content-type': 'application/json' }, body: right.body });
    for (const answer of [wrong, tampered]) {
      expect(answer.status).to.equal(401);
      expect({ ...answer.body, request_id: '' }).to.deep.equal({ ...wrong.body, request_id: '' });
    }
    expect(bare.status).to.equal(401);
    expect(bare.body.detail).to.match(/^this source expects .*`[\w-]+`/);
    const kept = await home().get(`/deliveries?source_id=${source.source_id}`);
    expect(kept.deliveries).to.deep.equal([]);
    const health = await home().get(`/sources/${source.source_id}/health`);
    expect(health.rejected.count).to.equal(3);
  });

  it('accepts a second secret beside the first, and the first no more once it is removed', async () => {
    const source = await make();
    const added = await home().platform.call('POST', `/sources/${source.source_id}/secrets`, {});
    expect(added.body.version).to.equal(2);
    const [first, second] = one.pair;
    const old = await send(source, first);
    expect((await home().settled(old.body.delivery_id)).delivery.secret_version).to.equal(1);
    const removed = await home().platform.call('DELETE', `/sources/${source.source_id}/secrets/1`);
    expect(removed.status).to.equal(204);
    expect((await send(source, one.unknown)).status).to.equal(401);
    const fresh = await send(source, second, added.body.secret);
    expect(fresh.status).to.be.oneOf([200, 202]);
    const shown = await home().get(`/sources/${source.source_id}`);
    expect(shown.secrets.map(({ version }: { version: number }) => version)).to.deep.equal([2]);
    expect(shown.secrets[0]).to.have.property('last_used_at');
  });

  it('answers a duplicate 200 with the delivery it repeats, and makes no further signal', async () => {
    const source = await make();
    const [name] = one.golden;
    const first = await send(source, name);
    const before = await signals(first.body.delivery_id);
    const second = await send(source, name);
    expect(second.status).to.equal(200);
    expect(second.body).to.include({ delivery_id: first.body.delivery_id, status: 'duplicate' });
    const { delivery, signals: after } = await home().settled(first.body.delivery_id);
    expect(delivery.duplicates).to.equal(1);
    expect(after).to.deep.equal(before);
  });

  it('knows two events of one alert that come in the wrong order', async () => {
    const source = await make();
    const [earlier, later] = one.pair;
    const second = await send(source, later);
    const first = await send(source, earlier);
    const [b] = await signals(second.body.delivery_id);
    const [a] = await signals(first.body.delivery_id);
    expect(a.fingerprint).to.equal(b.fingerprint);
    if (earlier === later) return;
    expect(a.occurred_at < b.occurred_at, `${a.occurred_at} < ${b.occurred_at}`).to.equal(true);
    if (a.type !== 'orb.signal.analytics') expect([a.state, b.state]).to.deep.equal(['firing', 'resolved']);
  });

  it('keeps what it does not know as information', async () => {
    const answer = await send(await make(), one.unknown);
    expect(answer.status).to.equal(202);
    const { delivery, signals } = await home().settled(answer.body.delivery_id);
    expect(delivery.state).to.equal('done');
    expect(signals[0].state).to.equal('info');
  });

  it('marks test messages, its own and ours', async () => {
    const source = await make();
    const ours = await home().platform.call('POST', `/sources/${source.source_id}/test`);
    expect(ours.status, JSON.stringify(ours.body)).to.equal(202);
    const ids = [ours.body.delivery_id];
    if (one.ping !== undefined) ids.push((await send(source, one.ping)).body.delivery_id);
    for (const id of ids) for (const signal of await signals(id)) expect(signal.test, id).to.equal(true);
    const { delivery } = await home().settled(ours.body.delivery_id);
    expect(delivery).to.include({ state: 'done', test: true, auth_strength: one.strength });
  });

  it('shows what to enter at the vendor, with the address', async () => {
    const { source_id } = await make();
    const setup = await home().get(`/sources/${source_id}/setup`);
    expect(setup.url).to.match(/^http.*\/hooks\/\{source_token\}$/);
    expect(setup.steps).to.not.be.empty;
    expect(JSON.stringify(setup.snippets)).to.include('/hooks/{source_token}');
  });
}

function otherSecret(secret: string): string {
  return secret.startsWith('whsec_') ? `whsec_${Buffer.alloc(32, 7).toString('base64')}` : 'x'.repeat(secret.length);
}
