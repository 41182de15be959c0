import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { verifyCommand } from '../../../../plugins/ledger/certificate/commands/verify.ts';
import { atTime, runCommand } from '../../../helpers/command.ts';
import { startWorld, type World } from './world.ts';

const [old, next] = ['https://old.example', 'https://next.example'];

describe('certificates after a change of the public address', () => {
  let folder: string;
  let world: World;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  let before: any;
  const file = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  /** Verifies offline with lists saved from where the platform is now. */
  const offline = async (answer: object, numbers: readonly number[], options: CommandCall['options'] = {}) => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const lists = await Promise.all(numbers.map((list) => world.get(`/status-lists/${list}`)));
    const statusList = lists.map((list, at) => file(`${at}.json`, list));
    const certificate = file('certificate.json', answer);
    const call = { options: { keys, statusList, ...options } };
    return (await atTime(world.now(), () => runCommand(verifyCommand, folder, [certificate], call))).exit;
  };
  const moves = async (publicUrl: string, first?: NonNullable<Parameters<typeof startWorld>[0]>['first']) => {
    await world.stop({ keep: true });
    world = await startWorld({ publicUrl, after: world, ...(first === undefined ? {} : { first }) });
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-moved-'));
    world = await startWorld({ publicUrl: old });
    world.holds('gold');
    await world.snapshot();
    before = await world.certificate();
  });
  afterEach(async () => {
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are issued again at the start, once, under the new address and in lists of their own', async () => {
    await moves(next);
    const after = await world.certificate();
    expect(after.certificate_id).not.to.equal(before.certificate_id);
    expect(after.credential.id).to.equal(`${next}/certificates/${after.certificate_id}`);
    expect(after.verification.did).to.equal('did:web:next.example');
    expect(after.verification.status_list).to.deep.equal({
      revocation: `${next}/status-lists/3`,
      suspension: `${next}/status-lists/4`,
    });
    expect((await world.certificates.service.verify(after)).overall).to.equal('VERIFIED');
    expect(await offline(after, [3, 4], { issuer: 'did:web:next.example' })).to.equal(0);
    await world.certificates.settle();
    await moves(next);
    expect((await world.certificate()).certificate_id).to.equal(after.certificate_id);
  });

  it('from before stay true, and their lists keep id and issuer: here and offline', async () => {
    await moves(next);
    expect((await world.get('/status-lists/1')).id).to.equal(`${old}/status-lists/1`);
    expect((await world.get('/status-lists/1')).issuer.id).to.equal('did:web:old.example');
    expect((await world.certificates.service.verify(before)).overall).to.equal('VERIFIED');
    expect(await offline(before, [1, 2])).to.equal(0);
    expect(await offline(before, [1, 2], { issuer: 'did:web:old.example' })).to.equal(0);
    // Lists of the new address say nothing of them.
    expect(await offline(before, [3, 4])).to.equal(3);
  });

  it('from before are seen to be revoked after it', async () => {
    await moves(next);
    world.holds('bronze');
    await world.snapshot();
    expect(await offline(before, [1, 2])).to.equal(1);
    expect((await world.certificates.service.verify(before)).exit).to.equal(1);
  });

  it('from before stay true when the key changes after it', async () => {
    await moves(next);
    world.signer.rotate(150);
    world.grows(151);
    expect(await offline(before, [1, 2])).to.equal(0);
  });

  it('take the lists of an address again when it comes back', async () => {
    await moves(next);
    await moves(old);
    const after = await world.certificate();
    expect(after.certificate_id).not.to.equal(before.certificate_id);
    expect(after.verification.status_list.revocation).to.equal(`${old}/status-lists/1`);
    for (const one of [before, after]) expect(await offline(one, [1, 2])).to.equal(0);
  });

  it('move from a bare key to a host, and back', async () => {
    for (const publicUrl of ['http://127.0.0.1:8080', next]) {
      const from = await world.certificate();
      const numbers = Object.values<string>(from.verification.status_list).map((url) => Number(url.split('/').at(-1)));
      await moves(publicUrl);
      expect(await offline(from, numbers)).to.equal(0);
      expect((await world.certificate()).credential.id).to.match(new RegExp(`^${publicUrl}/certificates/`));
    }
  });

  it('of a suspended Orb are issued again when the suspension ends', async () => {
    await moves(next, ({ stands }) =>
      stands({ tier: 'none', tier_rank: 0, status: 'suspended', suspended: true, suspended_tier: 'gold' }),
    );
    expect(await world.certificate()).to.include({ certificate_id: before.certificate_id, status: 'suspended' });
    world.stands({ tier: 'gold', tier_rank: 3, status: 'scored', suspended: false });
    await world.standing('restored');
    expect((await world.certificate()).credential.id).to.match(/^https:\/\/next\.example\//);
  });
});
