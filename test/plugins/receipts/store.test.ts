import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { operation } from '../../../kernel/index.ts';
import { digest } from '../../../kernel/tools/canonical.ts';
import { logOrigin, type RunStatement } from '../../../plugins/receipts/contract.ts';
import type { KeySet } from '../../../plugins/receipts/format/jwk.ts';
import { eraseValues } from '../../../plugins/receipts/read/erasure.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import type { SplitStatement } from '../../../plugins/receipts/issue/split-statement.ts';
import type { ToAppend } from '../../../plugins/receipts/issue/append-receipt.ts';
import { freshReceipts } from './fresh.ts';
import { newRun, openReceiptsStore } from './harness.ts';
import { vectors } from './sample.ts';
import { readsNow } from '../../helpers/reads.ts';
import type { Receipt } from '../../../plugins/runtime/contract.ts';

describe('the store of receipts', () => {
  const receipts = freshReceipts();

  /** Reads the chain of an Orbiset from the rows and checks that each payload names the digest of the one before. */
  function chain(orbisetId: string): string[] {
    const rows = receipts.stored('WHERE r.orbiset_id = ? ORDER BY r.sequence', orbisetId);
    let previous: string | undefined;
    for (const [index, row] of rows.entries()) {
      const { predicate } = JSON.parse(Buffer.from(row.payload).toString()) as RunStatement;
      expect([row.sequence, predicate.sequence]).to.deep.equal([index + 1, index + 1]);
      expect(predicate.previous_digest).to.equal(previous);
      expect(row.digest).to.equal(digest(row.payload));
      previous = row.digest;
    }
    return rows.map(({ receipt_id: id }) => id);
  }

  // Refused by the store: the same value twice.
  const refused = (receiptId: string) => {
    const value = { receipt_id: receiptId, name: 'inputs', opening: new Uint8Array(1), erase_at: 1 } as const;
    return [operation(receiptsStore, 'keepValue', value), operation(receiptsStore, 'keepValue', value)];
  };

  it('chains the receipts of each Orbiset without a gap, over batches and Orbisets', async () => {
    const orbisets = ['a', 'b', 'c'];
    const attested: Promise<Receipt>[] = [];
    for (let round = 0; round < 4; round++) {
      for (let at = 0; at < 30; at++) attested.push(receipts.attest(newRun(orbisets[(at * 7 + round) % 3])));
      await Promise.all(attested);
    }
    const receiptsMade = await Promise.all(attested);
    expect(receiptsMade.every(({ signature_valid: valid }) => valid)).to.equal(true);
    const chained = orbisets.map(chain);
    expect(chained.map(({ length }) => length)).to.deep.equal([40, 40, 40]);
    expect(chained.flat().sort()).to.deep.equal(receiptsMade.map(({ receipt_id: id }) => id).sort());
  });

  it('leaves no gap and no receipt when a later operation of the same write fails', async () => {
    const results = await Promise.allSettled([
      receipts.attest(newRun()),
      receipts.attest(newRun(), refused('x')),
      receipts.attest(newRun()),
      receipts.attest(newRun('other'), refused('y')),
    ]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    await receipts.attest(newRun());
    expect(chain('default')).to.have.length(3);
    expect(chain('other')).to.have.length(0);
  });

  it('erases no more values in one write than asked, until none is due', async () => {
    const keep = (count: number) =>
      receipts.store.write(
        Array.from({ length: count }, (_, index) => {
          const value = {
            receipt_id: `rec_${index}`,
            name: 'inputs',
            opening: new Uint8Array(1),
            erase_at: 1,
          } as const;
          return operation(receiptsStore, 'keepValue', value);
        }),
      );
    await keep(3);
    const erase = (before: number, most: number) =>
      receipts.store.write([operation(receiptsStore, 'eraseValues', { before, most })]);
    expect([await erase(0, 9), await erase(1, 2), await erase(1, 2)]).to.deep.equal([[0], [2], [1]]);
    await keep(5001);
    expect(await eraseValues(receipts.store, 1)).to.equal(5001);
  });

  it('goes on with the chain after a restart, with the same key', async () => {
    await receipts.attest(newRun());
    const keys = readFileSync(receipts.path('jwks.json'), 'utf8');
    await receipts.restart();
    await receipts.attest(newRun());
    expect(chain('default')).to.have.length(2);
    expect(readFileSync(receipts.path('jwks.json'), 'utf8')).to.equal(keys);
  });

  it('goes on from the committed head after a batch that could not be committed', async () => {
    const { receipt_id: first } = await receipts.attest(newRun());
    const database = new Driver(receipts.path('store.db'));
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON receipts_receipts BEGIN SELECT RAISE(ABORT, 'no room'); END`);
    expect(await receipts.attest(newRun()).catch((error: unknown) => error)).to.have.property(
      'code',
      'storage_unavailable',
    );
    expect(receipts.health().health).to.equal('down');
    database.exec('DROP TRIGGER full');
    database.close();
    const { receipt_id: second } = await receipts.attest(newRun());
    expect(chain('default')).to.deep.equal([first, second]);
    expect(receipts.health().health).to.equal('up');
  });

  it('proves itself as often as it is asked, and leaves no more than one row', async () => {
    for (let at = 0; at < 2; at++) await receipts.store.write([operation(receiptsStore, 'probe', {})]);
    expect(receipts.rows("SELECT name FROM receipts_values WHERE receipt_id = 'probe'")).to.have.length(1);
  });

  describe('given a statement that does not fit', () => {
    const split: SplitStatement = { shape: '{"a":\n\n,"b":2,"sequence":\n,"c":\n}', values: ['1\n', '', '3\n'] };
    const fact = (change: Partial<ToAppend>): ToAppend => ({
      ...{ kind: 'run', statement: split },
      ...{ receipt_id: 'rec_1', run_id: 'run_1', tenant: 'default' },
      ...{
        orbiset_id: 'default',
        orb_id: 'a.b@1.0.0',
        status: 'completed',
        origin: logOrigin(receipts.store.installation),
        timestamp: 't',
        trust_score: 80,
      },
      ...{ risk_level: 'low', kid: readsNow(receipts.store, receiptsStore).keys()[0]?.kid ?? '' },
      ...change,
    });
    const append = (change: Partial<ToAppend>) =>
      receipts.store.write([operation(receiptsStore, 'append', fact(change))]);

    it('answers the place in the chain and the digest of what was signed', async () => {
      const [appended] = await append({});
      const payload = '{"a":1,"b":2,"sequence":1,"c":3}';
      expect(appended).to.deep.equal({
        receipt_id: 'rec_1',
        signature_valid: true,
        sequence: 1,
        digest: digest(payload),
        index: 3,
      });
    });

    it('refuses more than 16 KB', async () => {
      const error = await append({ statement: { ...split, values: ['1\n', '', `${'ä'.repeat(8192)}\n`] } }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.have.property('code', 'internal');
      expect((error as Error).message).to.include('16384');
      expect(chain('default')).to.deep.equal([]);
    });

    it('refuses values that are more or fewer than the shape has places', async () => {
      for (const last of ['', '3\n4\n', '3']) {
        const error = await append({ statement: { ...split, values: ['1\n', '', last] } }).catch((thrown) => thrown);
        expect(error, last).to.have.property('code', 'storage_unavailable');
      }
      expect(chain('default')).to.deep.equal([]);
    });

    it('keeps of one whose shape it has the values alone, and reads it as it was', async () => {
      const [first] = await append({});
      const second = { ...split, values: ['2\n', '', '4\n'] };
      await append({ receipt_id: 'rec_2', run_id: 'run_2', statement: second });
      expect(receipts.rows('SELECT text FROM receipts_shapes')).to.deep.equal([{ text: split.shape }]);
      expect(
        receipts.rows("SELECT CAST(payload AS TEXT) AS text FROM receipts_receipts WHERE kind = 'run'"),
      ).to.deep.equal([{ text: '1\n\n1\n3\n' }, { text: `2\n,"previous_digest":"${first.digest}"\n2\n4\n` }]);
      const read = readsNow(receipts.store, receiptsStore).findReceipt('rec_2');
      expect(Buffer.from(read?.payload ?? []).toString()).to.equal(
        `{"a":2,"previous_digest":"${first.digest}","b":2,"sequence":2,"c":4}`,
      );
    });

    it('takes the number of a shape for the text that came with it, also after a batch that failed', async () => {
      const shape = { number: 7, bytes: split.shape.length };
      const unknown = await append({ statement: { ...split, shape } }).catch((thrown: unknown) => thrown);
      expect(unknown).to.have.property('code', 'internal');
      await append({ statement: { ...split, shape: { ...shape, text: split.shape } } });
      const database = new Driver(receipts.path('store.db'));
      database.exec(`CREATE TRIGGER full BEFORE INSERT ON receipts_receipts BEGIN SELECT RAISE(ABORT, 'no room'); END`);
      await append({ receipt_id: 'rec_2', statement: { ...split, shape } }).catch(() => undefined);
      database.exec('DROP TRIGGER full');
      database.close();
      await append({ receipt_id: 'rec_3', statement: { ...split, shape, values: ['5\n', '', '6\n'] } });
      const read = readsNow(receipts.store, receiptsStore).findReceipt('rec_3');
      expect(Buffer.from(read?.payload ?? []).toString()).to.match(/^\{"a":5,.*"sequence":2,"c":6\}$/);
      expect(receipts.rows('SELECT text FROM receipts_shapes')).to.deep.equal([{ text: split.shape }]);
    });

    it('keeps it whole when the stored shape of its digest was edited', async () => {
      await append({});
      receipts.edit(`UPDATE receipts_shapes SET text = replace(text, 'a', 'z')`);
      await receipts.restart();
      await append({ receipt_id: 'rec_2', run_id: 'run_2' });
      const [row] = receipts.rows<{ text: string; shape: null }>(
        "SELECT CAST(payload AS TEXT) AS text, shape FROM receipts_receipts WHERE receipt_id = 'rec_2'",
      );
      expect(row?.text).to.include('"sequence":2,"c":3}');
      expect(row?.shape).to.equal(null);
    });

    it('refuses one that names another key', async () => {
      const log = readsNow(receipts.store, receiptsStore)
        .keys()
        .find(({ role }) => role === 'log');
      for (const kid of [vectors.keys.receipt_kid_rfc7638, log?.kid ?? expect.fail('no log key')]) {
        const error = await append({ kid }).catch((thrown: unknown) => thrown);
        expect(error).to.have.property('code', 'internal');
      }
    });
  });

  describe('of keys', () => {
    const keyFile = () => receipts.path('jwks.json');

    it('makes a receipt key, a log key and a certificate key at the first start and mirrors their public halves for everybody', () => {
      const { keys } = JSON.parse(readFileSync(keyFile(), 'utf8')) as KeySet;
      expect(keys.map(({ role }) => role)).to.deep.equal(['receipt', 'log', 'certificate']);
      for (const key of keys) expect(key).to.include({ alg: 'EdDSA', use: 'sig', status: 'active' });
      expect(keys[1]?.origin).to.equal(logOrigin(receipts.store.installation));
      expect(statSync(keyFile()).mode & 0o777).to.equal(0o644);
      expect(existsSync(`${keyFile()}.new`)).to.equal(false);
    });

    it('mirrors again at every start', async () => {
      const before = readFileSync(keyFile(), 'utf8');
      await receipts.stop();
      writeFileSync(keyFile(), 'gone');
      await receipts.start();
      expect(readFileSync(keyFile(), 'utf8')).to.equal(before);
    });

    it('keeps the seed sealed: it stands nowhere in the file', async () => {
      const [key] = receipts.rows<{ sealed: Buffer }>('SELECT sealed FROM receipts_signing_keys');
      const seed = receipts.store.sealer.open('signing', key?.sealed ?? expect.fail('no key'));
      expect(seed).to.have.length(32);
      await receipts.store.close();
      expect(readFileSync(receipts.path('store.db')).includes(Buffer.from(seed))).to.equal(false);
    });

    it('refuses to start with a public key that is not the seed’s', async () => {
      await receipts.stop();
      const database = new Driver(receipts.path('store.db'));
      const keys = database.prepare('SELECT kid, role, public_key FROM receipts_signing_keys').all() as {
        kid: string;
        role: string;
        public_key: Buffer;
      }[];
      const set = database.prepare('UPDATE receipts_signing_keys SET public_key = ? WHERE kid = ?');
      for (const { kid, role, public_key: publicKey } of keys) {
        set.run(Buffer.alloc(32, 1), kid);
        const error = await openReceiptsStore(receipts.stateDir).catch((thrown: unknown) => thrown);
        expect(String(error)).to.match(role === 'log' ? /does not match its head and key/ : /does not match/);
        set.run(publicKey, kid);
      }
      database.close();
      await receipts.start();
    });
  });
});
