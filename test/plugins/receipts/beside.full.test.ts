import { expect } from 'chai';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import { until } from '../../helpers/until.ts';
import { usePostgres } from '../../helpers/use-postgres.ts';
import { admin } from './fresh.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';

describe('receipts of two servers beside each other on PostgreSQL', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let dirs: ReturnType<typeof temporaryDir>[] = [];
  let running: Harness[] = [];
  before(() => server.client('beside'));
  afterEach(async () => {
    for (const one of running) await one.stop();
    for (const dir of dirs) dir.remove();
    [running, dirs] = [[], []];
  });

  const start = async (node: string, beside = true): Promise<Harness> => {
    const dir = temporaryDir();
    dirs.push(dir);
    const address = server.address('beside');
    const more = { address, beside, masterKey: 'ab'.repeat(32) };
    const made = await startReceipts(dir.path, undefined, undefined, node, more);
    running.push(made);
    return made;
  };
  const read = async (on: Harness, id: string): Promise<ReceiptDocument> => {
    const answer = (await on.call('/receipts/{receipt_id}', { receipt_id: id }, admin)) as { body?: ReceiptDocument };
    return answer.body ?? (answer as ReceiptDocument);
  };

  it('verify on both as soon as they are answered, each in the shard of its node, under its key', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++)
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const { receipt_id: id, signature_valid: valid } = await one.attest(newRun(`ost_${round}`));
        expect(valid).to.equal(true);
        for (const on of [one, other]) {
          const { proof, signature_valid: isValid, statement } = await read(on, id);
          expect(isValid, `${id} on ${on === one ? 'its own' : 'the other'}`).to.equal(true);
          seen.add(`${proof?.origin} ${statement?.predicate.issuer.kid}`);
        }
      }
    expect(seen.size).to.equal(2);
    for (const on of [a, b]) {
      const { body } = (await on.call('/log/shards', {})) as { body: { shards: { node: string; status: string }[] } };
      expect(body.shards.map(({ node, status }) => `${node} ${status}`)).to.deep.equal(['a active', 'b active']);
      await until(
        async () => (await on.metrics.show()).text,
        (text) => text.includes('orb_receipts_failing 0\n'),
        'the auditor',
      );
    }
  });

  it('can be gone on with by one of them alone, and by no other', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const { receipt_id: id } = await a.attest(newRun('ost_1'));
    await b.attest(newRun('ost_1'));
    for (const one of running.splice(0)) await one.stop();
    const refused = await start('c', false).catch((error: unknown) => error);
    expect(String(refused)).to.include('c has no receipt key in this store').and.include('(a, b)');
    const alone = await start('a', false);
    const { receipt_id: later, signature_valid: isValid } = await alone.attest(newRun('ost_1'));
    expect(isValid).to.equal(true);
    for (const one of [id, later]) expect((await read(alone, one)).signature_valid, one).to.equal(true);
  });

  it('let the key of a node be revoked by it alone while it serves', async () => {
    const [a, b] = [await start('a'), await start('b')];
    const { receipt_id: id } = await b.attest(newRun('ost_1'));
    const { statement } = await read(b, id);
    const kid = statement?.predicate.issuer.kid ?? '';
    const revoke = (on: Harness) =>
      on.call('/signing-keys/{kid}/revoke', { kid }, { id: 'prn_01M6B27VZ00000000000000004' }, {}, { reason: 'lost' });
    await a.attest(newRun('ost_1'));
    const refused = await revoke(a).catch((error: unknown) => error);
    expect(String(refused)).to.include('the node b signs with this key');
    await revoke(b);
    const { receipt_id: later } = await b.attest(newRun('ost_1'));
    for (const on of [a, b])
      for (const one of [id, later]) expect((await read(on, one)).signature_valid, one).to.equal(true);
  });
});
