import { expect } from 'chai';
import { unknownStanding } from '../../../../plugins/runtime/facts/facts.ts';
import { filled } from '../../../../plugins/runtime/facts/ports.ts';

describe('the ports that no plugin provides', () => {
  const { check, attempts, failure, standing } = filled({});

  it('verify no receipt', async () => {
    expect(await check('rec_1')).to.equal(false);
  });

  it('know nothing of a run or of an Orb', async () => {
    const run = { run_id: 'run_1', receipt_id: 'rec_1' };
    expect(await Promise.all([attempts('rec_1'), failure(run)])).to.deep.equal([undefined, undefined]);
    expect(standing('demo.echo@1.0.0', 'prn_1', 'default')).to.equal(unknownStanding);
  });
});
