import { expect } from 'chai';
import { createCommit } from '../../../../../plugins/receipts/format/commitment.ts';
import type { AttestScope } from '../../../../../plugins/receipts/issue/attestation/attest.ts';
import { createIssuing, createGrowth } from '../../../../../plugins/receipts/issue/attestation/issuing.ts';
import { SentShapes } from '../../../../../plugins/receipts/issue/split-statement.ts';
import { newRun } from '../../harness.ts';
import { until } from '../../../../helpers/until.ts';

/** Issues into a store that takes everything; `moved` is called after each receipt. */
function create(moved: () => void | Promise<void>) {
  const told: string[] = [];
  const scope = {
    store: { write: async () => [{ signature_valid: true }] },
    keys: { issuer: { installation: 'ins_1', version: '1.0.0', kid: 'kid', origin: 'ins_1.orb/receipts/0' } },
    commit: createCommit(),
    shapes: new SentShapes(),
    clock: { now: () => 0 },
    ids: () => 'rec_1',
    log: { error: ({ err }: { readonly err?: unknown }) => void told.push(String(err)) },
  } as unknown as AttestScope;
  const issuing = createIssuing(scope, moved);
  const attest = () => issuing.attest({ fact: newRun(), operations: () => [] });
  return { attest, issuing, told };
}

describe('issuing receipts', () => {
  const fault = new Error('the store is away');
  const failures: [string, () => void | Promise<void>][] = [
    ['rejects', () => Promise.reject(fault)],
    [
      'throws',
      () => {
        throw fault;
      },
    ],
  ];
  for (const [how, moved] of failures)
    it(`answers a receipt that is committed when what follows ${how}: nobody repeats the run for it`, async () => {
      const { attest, issuing, told } = create(moved);
      expect(await attest()).to.include({ receipt_id: 'rec_1', signature_valid: true });
      expect(told).to.deep.equal(['Error: the store is away']);
      expect(issuing.health()).to.deep.equal({ health: 'up' });
      issuing.stop();
    });

  it('waits for what follows', async () => {
    const followed = Promise.withResolvers<void>();
    const { attest, issuing } = create(() => followed.promise);
    let answered = false;
    const attested = attest().then(() => (answered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).to.equal(false);
    followed.resolve();
    await attested;
    issuing.stop();
  });
});

function createOne() {
  const done: string[] = [];
  const keys = {
    hasLog: false,
    fault: undefined as Error | undefined,
    refresh: async (): Promise<void> => {
      done.push('refresh');
      if (keys.fault !== undefined) throw keys.fault;
      keys.hasLog = true;
    },
  };
  const log = { error: ({ err }: { readonly err?: unknown }) => void done.push(String(err)) };
  return { done, keys, growth: createGrowth({ keys, log: log, grew: () => void done.push('grew') }) };
}

describe('the growth of the log', () => {
  it('reads the key of a log that its first entry opens, before the receipt is answered, and no more later', async () => {
    const { done, growth } = createOne();
    await growth.moved();
    await growth.moved();
    expect(done).to.deep.equal(['refresh', 'grew', 'grew']);
    growth.stop();
  });

  it('does not reject when the key cannot be read, which is tried again until it can', async () => {
    const { done, growth, keys } = createOne();
    keys.fault = new Error('the store is away');
    await growth.moved();
    await growth.moved();
    const failed = ['refresh', 'Error: the store is away', 'grew'];
    expect(done).to.deep.equal([...failed, ...failed]);
    keys.fault = undefined;
    await until(
      () => keys.hasLog,
      (known) => known,
      'the key',
    );
    expect(done.slice(6)).to.deep.equal(['refresh']);
    growth.stop();
  });

  it('tries no more once it has stopped', async () => {
    const { done, growth, keys } = createOne();
    keys.fault = new Error('the store is away');
    await growth.moved();
    growth.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(done.filter((one) => one === 'refresh')).to.have.length(1);
  });
});
