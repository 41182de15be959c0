import { expect } from 'chai';
import type { Appended } from '../../../plugins/receipts/issue/append-receipt.ts';
import type { KeyChanged } from '../../../plugins/receipts/keys/key-schema.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { postgresEngine, sqliteEngine, type Engine, type EngineStore } from '../../helpers/stores/engines.ts';
import { batchOf, fact, issuerOf } from './engine-writes.ts';

for (const [name, start] of [
  ['SQLite', () => Promise.resolve(sqliteEngine())],
  ['PostgreSQL', postgresEngine],
] as const)
  describe(`the store of receipts on ${name}`, () => {
    let engine: Engine | undefined;
    let store: EngineStore;
    before(async function () {
      if (name === 'PostgreSQL') needPostgres(this);
      engine = await start();
    });
    after(() => engine?.stop());
    beforeEach(async () => void (store = (await engine?.open([receiptsStore])) ?? expect.fail('no engine')));
    afterEach(() => store.close());

    /** Attests runs of three Orbisets in one batch. */
    const append = async (count: number): Promise<readonly Appended[]> => {
      const issuer = await issuerOf(store);
      const { failures, results } = await store.commit(
        batchOf(...Array.from({ length: count }, (_, index) => fact(issuer, index % 3))),
      );
      expect(failures).to.deep.equal([]);
      return results as Appended[];
    };
    const change = async (args: object): Promise<KeyChanged> => {
      const { failures, rejected, results } = await store.commit(batchOf(['changeKey', args]));
      expect([failures, rejected]).to.deep.equal([[], undefined]);
      return results[0] as KeyChanged;
    };
    /** Opens the store again, which checks each log against its signed head. */
    const reopen = async (): Promise<void> => void (store = await store.reopen());
    const count = async (table: string): Promise<unknown> =>
      (await store.rows(`SELECT count(*) AS n FROM ${table}`))[0]?.['n'];

    it('places receipts in their chains and in the log, and keeps one checkpoint of it', async () => {
      const sequences: number[] = [];
      for (const size of [1, 5, 300, 2]) {
        const appended = await append(size);
        expect(appended.every(({ signature_valid: valid }) => valid)).to.equal(true);
        sequences.push(...appended.map(({ sequence }) => sequence));
      }
      expect(sequences.slice(0, 6)).to.deep.equal([1, 2, 1, 1, 3, 2]);
      await reopen();
      const [next] = await append(1);
      // Three keys were told first.
      expect([next?.index, next?.sequence]).to.deep.equal([311, 105]);
      expect(await count('receipts_checkpoints')).to.equal(1);
    });

    it('changes keys and logs after the receipts of a batch, and goes on after a restart', async () => {
      await append(4);
      const { kid } = await issuerOf(store);
      await change({ change: 'rotate', role: 'receipt' });
      await append(3);
      await change({ change: 'rotate', role: 'log' });
      await append(2);
      await change({ change: 'revoke', kid, reason: 'lost' });
      await change({ change: 'rotate', role: 'certificate' });
      const { failures } = await store.commit(batchOf(['changeKey', { change: 'revoke', kid, reason: 'lost' }]));
      expect(failures).to.have.length(1);
      await reopen();
      await append(3);
      expect(await count('receipts_receipts')).to.equal(await count('receipts_entries'));
      expect(await count('receipts_logs')).to.equal(2);
    });

    it('issues each receipt once when a commit fails, or nobody hears of it', async () => {
      await append(3);
      for (const fault of ['fails', 'unheard', 'fails', 'unheard'] as const) {
        store.faults.push(fault);
        await append(3);
      }
      store.faults.push('fails');
      await change({ change: 'rotate', role: 'log' });
      await reopen();
      const rows = await store.rows('SELECT log, idx FROM receipts_receipts ORDER BY log, idx');
      expect(rows).to.deep.equal(await store.rows('SELECT log, idx FROM receipts_entries ORDER BY log, idx'));
      expect(await count(`receipts_receipts WHERE kind = 'run'`)).to.equal(15);
    });

    it('probes, signs certificates, and keeps values for a time', async () => {
      const { failures, results } = await store.commit(
        batchOf(
          ['probe', {}],
          ['signCertificate', { message: new Uint8Array(3) }],
          ['keepValue', { receipt_id: 'rec_1', name: 'inputs', opening: new Uint8Array(9), erase_at: 5 }],
          ['eraseValues', { before: 4, most: 9 }],
          ['eraseValues', { before: 5, most: 9 }],
        ),
      );
      expect(failures).to.deep.equal([]);
      expect(results.slice(3)).to.deep.equal([1, 1]);
      expect((results[1] as { signature: Uint8Array }).signature).to.have.length(64);
    });
  });
