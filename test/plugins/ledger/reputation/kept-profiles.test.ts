import { expect } from 'chai';
import { KeptProfiles, type ProfileKey } from '../../../../plugins/ledger/reputation/kept-profiles.ts';
import type { OrbProfile } from '../../../../plugins/ledger/reputation/profile.ts';

const key: ProfileKey = { orbId: 'a.b@1.0.0', day: 1, position: { origin: 'log/0', index: 7 }, withIncidentIds: false };

describe('the kept profiles', () => {
  let kept: KeptProfiles;
  let made: number;
  beforeEach(() => {
    kept = new KeptProfiles();
    made = 0;
  });
  // Each is told from the others by a number.
  const make = async (): Promise<OrbProfile> => Promise.resolve({ reputation_score: ++made } as OrbProfile);
  const get = async (more: Partial<ProfileKey> = {}) => (await kept.get({ ...key, ...more }, make)).reputation_score;

  it('are made once, also for those that ask at the same time', async () => {
    expect(await Promise.all([get(), get()])).to.deep.equal([1, 1]);
    expect(await get()).to.equal(1);
  });

  const others: readonly (readonly [string, Partial<ProfileKey>])[] = [
    ['Orb', { orbId: 'a.b@1.0.1' }],
    ['day', { day: 2 }],
    ['index of the log', { position: { origin: 'log/0', index: 8 } }],
    ['shard of the log', { position: { origin: 'log/1', index: 7 } }],
    ['audience', { withIncidentIds: true }],
  ];
  for (const [name, more] of [...others, ['log, which was empty', { position: undefined }] as const])
    it(`are others for another ${name}`, async () => {
      expect([await get(), await get(more), await get()]).to.deep.equal([1, 2, 1]);
    });

  it('are dropped when the state changes, those that are being made too', async () => {
    const early = get();
    kept.clear();
    expect([await early, await get(), await get()]).to.deep.equal([1, 2, 2]);
  });

  it('are none whose making failed', async () => {
    const failed = await kept.get(key, () => Promise.reject(new Error('no store'))).catch(String);
    expect([failed, await get()]).to.deep.equal(['Error: no store', 1]);
  });

  it('are the 256 that were asked for last', async () => {
    for (let day = 0; day < 256; day += 1) await get({ day });
    await get({ day: 0 });
    await get({ day: 256 });
    expect([await get({ day: 0 }), await get({ day: 2 }), await get({ day: 1 })]).to.deep.equal([1, 3, 258]);
  });
});
