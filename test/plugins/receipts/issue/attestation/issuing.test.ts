import { expect } from 'chai';
import { createCommit } from '../../../../../plugins/receipts/format/commitment.ts';
import type { AttestScope } from '../../../../../plugins/receipts/issue/attestation/attest.ts';
import { createIssuing } from '../../../../../plugins/receipts/issue/attestation/issuing.ts';
import { newRun } from '../../harness.ts';

/** Issues into a store that takes everything; `moved` is called after each receipt. */
function create(moved: () => void | Promise<void>) {
  const told: string[] = [];
  const scope = {
    store: { write: async () => [{ signature_valid: true }] },
    issuer: () => ({ installation: 'ins_1', version: '1.0.0', kid: 'kid', origin: 'ins_1.orb/receipts/0' }),
    commit: createCommit(),
    clock: { now: () => 0 },
    newReceiptId: () => 'rec_1',
  } as unknown as AttestScope;
  const log = { error: ({ err }: { readonly err?: unknown }) => void told.push(String(err)) };
  const issuing = createIssuing(scope, moved, log);
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
