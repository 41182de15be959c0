import { expect } from 'chai';
import { OrbClient } from '../../../plugins/clients/typescript/src/orb.ts';
import { FakeTime, scripted } from './vector-lines.ts';

const orbId = 'notify.email@1.0.0';
const done = {
  ...{ status: 200, headers: {} },
  body: { run_id: 'run_1', outputs: { sent: true }, receipt: { receipt_id: 'rec_1' } },
};
const missing = { status: 404, headers: {}, body: { code: 'receipt_not_found' } };

describe('the options of the TypeScript client', () => {
  for (const [random, kind] of [
    [0, 'unverified'],
    [0.09, 'unverified'],
    [0.1, 'completed'],
    [0.9, 'completed'],
  ] as const)
    it(`verify a sample: with the random number ${random} a call without its receipt is ${kind}`, async () => {
      const time = Object.assign(new FakeTime(), { random: () => random });
      const { play, requests } = scripted([done, missing], time);
      const options = { verify: 'sampled', pin: { keys: [] }, fetch: play, time } as const;
      const outcome = await new OrbClient('http://orb.test', 'orb_test_x', options).run(orbId, {});
      expect([outcome.kind, requests.length]).to.deep.equal([kind, kind === 'completed' ? 1 : 2]);
      expect(outcome).to.not.have.property('verified');
    });

  it('need keys to trust for a sample, too', () => {
    expect(() => new OrbClient('http://orb.test', 'orb_test_x', { verify: 'sampled' })).to.throw('pin');
  });
});
