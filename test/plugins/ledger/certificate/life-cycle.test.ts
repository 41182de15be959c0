import { expect } from 'chai';
import { bits } from './bits.ts';
import { orb, startWorld, type World, type WorldOptions } from './world.ts';

const badge = async (world: World): Promise<string> => {
  const { body } = await world.platform.call('GET', `/reputation/${orb}/badge`, undefined, null);
  return /aria-label="orb: ([^"]+)"/.exec(String(body))?.[1] ?? String(body);
};

describe('the life of certificates', () => {
  const worlds: World[] = [];
  const start = async (options?: WorldOptions): Promise<World> => {
    const world = await startWorld(options);
    worlds.push(world);
    return world;
  };
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop();
  });
  const gold = async (options?: WorldOptions): Promise<World> => {
    const world = await start(options);
    world.holds('gold');
    await world.snapshot();
    return world;
  };

  it('begins with the first tier, and a promotion brings another while the old one stays good', async () => {
    const world = await start();
    world.holds('bronze');
    await world.snapshot();
    const bronze = await world.certificate();
    world.holds('silver');
    await world.snapshot();
    const silver = await world.certificate();
    expect([bronze.certification_tier, silver.certification_tier]).to.deep.equal(['bronze', 'silver']);
    expect(silver.certificate_id).not.to.equal(bronze.certificate_id);
    expect(await bits(world, bronze.credential)).to.deep.equal({ revoked: false, suspended: false });
    expect((await world.certificates.service.verify(bronze.credential)).overall).to.equal('VERIFIED');
    expect(await world.get(`/certificates/${bronze.certificate_id}`)).to.deep.equal(bronze.credential);
  });

  it('is not touched by a second look at the same snapshot, nor by a drift of the score', async () => {
    const world = await gold();
    const before = await world.certificate();
    await world.snapshot(0);
    await world.certificates.settle();
    world.stands({ score: 86, score_milli: 86_000 });
    await world.snapshot();
    expect(await world.certificate()).to.deep.equal(before);
  });

  it('is renewed on day 23 and not a day before, for 30 days more', async () => {
    const world = await gold();
    const first = await world.certificate();
    expect([first.issued_at, first.expires_at]).to.deep.equal(['2026-11-22T00:00:00Z', '2026-12-22T00:00:00Z']);
    await world.snapshot(22);
    expect((await world.certificate()).certificate_id).to.equal(first.certificate_id);
    await world.snapshot(1);
    const second = await world.certificate();
    expect([second.issued_at, second.expires_at]).to.deep.equal(['2026-12-15T00:00:00Z', '2027-01-14T00:00:00Z']);
    expect((await world.certificates.service.verify(first.credential)).overall).to.equal('VERIFIED');
  });

  it('ends by itself when nothing renews it: seen in the answer, the badge and the checks', async () => {
    const world = await gold();
    const { credential } = await world.certificate();
    world.pass(30);
    expect((await world.certificate()).status).to.equal('expired');
    expect(await badge(world)).to.equal('expired');
    const report = await world.certificates.service.verify(credential);
    expect(report.checks.filter(({ result }) => result === 'fail').map(({ name }) => name)).to.deep.equal(['dates']);
    expect(report.exit).to.equal(1);
    await world.snapshot(0);
    expect((await world.certificate()).status).to.equal('valid');
    expect(await badge(world)).to.equal('gold · 95');
  });

  it('is revoked by a demotion, which brings one of the lower tier', async () => {
    const world = await gold();
    const before = await world.certificate();
    world.holds('silver');
    await world.snapshot();
    const after = await world.certificate();
    expect([after.certification_tier, after.status]).to.deep.equal(['silver', 'valid']);
    expect(await bits(world, before.credential)).to.deep.equal({ revoked: true, suspended: false });
    expect((await world.certificates.service.verify(before.credential)).exit).to.equal(1);
  });

  it('is suspended at once and comes back, the bit with it', async () => {
    const world = await gold();
    world.stands({ tier: 'none', tier_rank: 0, status: 'suspended', suspended: true, suspended_tier: 'gold' });
    await world.standing('suspended');
    const during = await world.certificate();
    expect(during.status).to.equal('suspended');
    expect(await bits(world, during.credential)).to.deep.equal({ revoked: false, suspended: true });
    expect(await badge(world)).to.equal('suspended');
    const report = await world.certificates.service.verify(during.credential);
    expect(report.checks.find(({ name }) => name === 'status')).to.include({ result: 'fail', detail: 'suspended' });
    world.stands({ tier: 'gold', tier_rank: 3, status: 'scored', suspended: false });
    await world.standing('restored');
    expect(await world.certificate()).to.deep.equal({ ...during, status: 'valid' });
    expect(await bits(world, during.credential)).to.deep.equal({ revoked: false, suspended: false });
    expect(await badge(world)).to.equal('gold · 95');
  });

  it('is revoked for good when a suspension has lost the tier', async () => {
    const world = await gold();
    const lost = { tier: 'none', tier_rank: 0, status: 'suspended', suspended: true } as const;
    world.stands({ ...lost, suspended_tier: 'gold' });
    await world.snapshot();
    const { credential } = await world.certificate();
    world.loses();
    await world.snapshot();
    expect((await world.certificate()).status).to.equal('revoked');
    expect(await bits(world, credential)).to.deep.equal({ revoked: true, suspended: true });
  });

  for (const state of ['yanked', 'removed'] as const)
    it(`is revoked when the Orb is ${state}`, async () => {
      const world = await gold();
      const { credential } = await world.certificate();
      world.lists(state);
      await world.standing(state);
      expect((await world.certificate()).status).to.equal('revoked');
      world.holds('none');
      expect(await badge(world)).to.equal('revoked');
      expect(await bits(world, credential)).to.deep.equal({ revoked: true, suspended: false });
      expect((await world.certificates.service.verify(credential)).exit).to.equal(1);
    });

  it('outlives a revocation of its key that takes effect later, and is issued again at once under the next key', async () => {
    const world = await gold();
    const before = await world.certificate();
    const [old] = world.signer.keys();
    world.signer.rotate(150);
    world.signer.revoke(old?.kid ?? '', 151);
    world.grows(152);
    await world.certificates.settle();
    const after = await world.certificate();
    expect(after.certificate_id).not.to.equal(before.certificate_id);
    expect(after.verification.key).not.to.equal(before.verification.key);
    // The snapshot's log does not hold the new key: the newest head does.
    expect(after.credential.credentialSubject.receiptLog.treeSize).to.equal(152);
    expect(after.credential.credentialSubject.snapshot).to.deep.equal(before.credential.credentialSubject.snapshot);
    for (const { credential } of [before, after]) {
      expect(await bits(world, credential)).to.deep.equal({ revoked: false, suspended: false });
      expect((await world.certificates.service.verify(credential)).overall).to.equal('VERIFIED');
    }
    await world.certificates.settle();
    expect((await world.certificate()).certificate_id).to.equal(after.certificate_id);
  });

  it('ends with a key that is revoked from before it on: all are revoked, and issued again, at once', async () => {
    const world = await gold();
    const other = 'demo.echo@1.0.0';
    world.lists('published', other);
    world.holds('bronze', other);
    await world.snapshot();
    const before = await world.certificate();
    const [old] = world.signer.keys();
    world.signer.rotate(150);
    world.signer.revoke(old?.kid ?? '', 99);
    world.grows(152);
    await world.certificates.settle();
    expect(await bits(world, before.credential)).to.deep.equal({ revoked: true, suspended: false });
    expect((await world.certificates.service.verify(before.credential)).exit).to.equal(4);
    for (const orbId of [orb, other]) {
      const after = await world.certificate(orbId);
      expect(after.status).to.equal('valid');
      expect(after.verification.key).not.to.equal(before.verification.key);
      expect((await world.certificates.service.verify(after.credential)).overall).to.equal('VERIFIED');
    }
    expect(await badge(world)).to.equal('gold · 95');
  });

  it('is revoked at once with its key, and waits for the log to hold the next one', async () => {
    const world = await gold();
    const before = await world.certificate();
    const [old] = world.signer.keys();
    world.signer.rotate(150);
    world.signer.revoke(old?.kid ?? '', 0);
    await world.certificates.settle();
    expect(await world.certificate()).to.include({ certificate_id: before.certificate_id, status: 'revoked' });
    // Those who hold the tier keep it; only the paper is gone.
    expect(await badge(world)).to.equal('gold · 95');
    await world.snapshot(1, 200);
    const after = await world.certificate();
    expect(after.status).to.equal('valid');
    expect((await world.certificates.service.verify(after.credential)).overall).to.equal('VERIFIED');
  });

  it('keeps the old key published after a rotation, and what it signed stays good', async () => {
    const world = await gold({ publicUrl: 'https://orb.example' });
    const before = await world.certificate();
    world.signer.rotate(150);
    await world.snapshot(1, 200);
    expect((await world.certificate()).certificate_id).to.equal(before.certificate_id);
    expect((await world.certificates.service.verify(before.credential)).overall).to.equal('VERIFIED');
    const { verificationMethod, assertionMethod } = await world.get('/.well-known/did.json');
    expect(verificationMethod).to.have.length(2);
    expect(assertionMethod).to.have.length(2);
  });

  it('waits for the log when the key changes while it is signed', async () => {
    const world = await start();
    const { sign } = world.signer;
    Object.assign(world.signer, {
      sign(message: Uint8Array) {
        Object.assign(world.signer, { sign });
        world.signer.rotate(150);
        return sign(message);
      },
    });
    world.holds('gold');
    await world.snapshot();
    expect((await world.certificate()).code).to.equal('certificate_not_issued');
    await world.snapshot(1, 200);
    const { credential } = await world.certificate();
    expect((await world.certificates.service.verify(credential)).overall).to.equal('VERIFIED');
  });

  it('survives a restart: nothing is issued twice, and what happened meanwhile is made up for', async () => {
    const first = await start();
    first.holds('gold');
    await first.snapshot();
    const before = await first.certificate();
    await first.stop({ keep: true });
    worlds.pop();
    const second = await start({ after: first });
    expect(await second.certificate()).to.deep.equal(before);
    await second.stop({ keep: true });
    worlds.pop();
    const third = await start({ after: second, first: ({ holds, pass }) => (pass(3), holds('bronze')) });
    expect((await third.certificate()).certification_tier).to.equal('bronze');
    expect(await bits(third, before.credential)).to.deep.equal({ revoked: true, suspended: false });
  });

  it('withdraws without a signature, and issues when there is one again', async () => {
    const world = await gold();
    const before = await world.certificate();
    world.signer.fail(true);
    world.holds('silver');
    await world.snapshot();
    expect(await world.certificate()).to.include({ certificate_id: before.certificate_id, status: 'revoked' });
    world.signer.fail(false);
    await world.certificates.settle();
    expect(await world.certificate()).to.include({ certification_tier: 'silver', status: 'valid' });
  });

  it('revokes nothing before the ledger knows anything of the Orb', async () => {
    const world = await gold();
    world.forgets();
    await world.certificates.settle();
    expect((await world.certificate()).status).to.equal('valid');
  });

  it('follows no ledger that has not read the log to its end', async () => {
    const world = await gold();
    world.unsettled(true);
    world.holds('none');
    await world.snapshot();
    expect((await world.certificate()).status).to.equal('valid');
    world.unsettled(false);
    await world.certificates.settle();
    expect((await world.certificate()).status).to.equal('revoked');
  });

  it('is issued for as many days as configured, and renewed as far before the end', async () => {
    const world = await gold({ days: 10 });
    const first = await world.certificate();
    expect(first.expires_at).to.equal('2026-12-02T00:00:00Z');
    await world.snapshot(6);
    expect((await world.certificate()).certificate_id).to.equal(first.certificate_id);
    await world.snapshot(1);
    expect((await world.certificate()).certificate_id).not.to.equal(first.certificate_id);
  });

  it('of one day is renewed within it', async () => {
    const world = await gold({ days: 1 });
    world.pass(0.8);
    await world.certificates.settle();
    expect((await world.certificate()).expires_at).to.equal('2026-11-24T00:00:00Z');
  });

  it('gives each certificate places at random that no other ever had', async () => {
    const world = await start();
    const places = new Set<string>();
    for (let round = 0; round < 12; round++) {
      world.holds(round % 2 === 0 ? 'gold' : 'silver');
      await world.snapshot();
      const { credential } = await world.certificate();
      for (const { id } of credential.credentialStatus) places.add(id);
    }
    expect(places.size).to.equal(24);
    const indices = [...places].map((id) => Number(id.split('#')[1]));
    // By chance once in 10^30: all in the first eighth, or one after the other.
    expect(Math.max(...indices)).to.be.greaterThan(16_384);
  });
});
