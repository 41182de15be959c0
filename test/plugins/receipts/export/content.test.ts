import { expect } from 'chai';
import type { Reply } from '../../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../../plugins/receipts/contract.ts';
import { exportFiles, type ExportScope } from '../../../../plugins/receipts/export/content.ts';
import type { Manifest } from '../../../../plugins/receipts/export/manifest.ts';
import type { KeySet } from '../../../../plugins/receipts/format/jwk.ts';
import { logKeys } from '../../../../plugins/receipts/read/log-routes.ts';
import { composedReads } from '../../../../plugins/receipts/log/stored/read-proof.ts';
import receiptsStore, { type Reads } from '../../../../plugins/receipts/store.ts';
import { readTrust } from '../../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../../plugins/receipts/verifier/verify.ts';
import { freshReceipts } from '../fresh.ts';
import { readsNow } from '../../../helpers/reads.ts';

describe('the files of an export', () => {
  const receipts = freshReceipts('describe');
  let reads: Reads;
  let keys: KeySet;
  before(async () => {
    await receipts.attestRuns(4);
    reads = readsNow(receipts.store, receiptsStore);
    keys = ((await receipts.call('/.well-known/jwks.json', {})) as Reply).body as KeySet;
  });

  /** The files over a store that answers some reads otherwise. */
  const files = async (answers: Partial<Reads> = {}, more: Partial<ExportScope> = {}) => {
    const found = new Map<string, string>();
    const { installation } = receipts.store;
    const parts = { ...reads, ...answers };
    const scope = {
      reads: { ...parts, ...composedReads(parts) },
      lists: { exportRows: async (...given: Parameters<Reads['exportRows']>) => parts.exportRows(...given) },
      keys,
      logKeys: await logKeys(reads),
      installation,
      filter: {},
      tiles: false,
    };
    for await (const { content, path } of exportFiles({ ...scope, at: '2026-11-20T20:00:00.000Z', ...more }))
      found.set(path, Buffer.from(content).toString());
    return found;
  };
  const documents = (found: ReadonlyMap<string, string>): ReceiptDocument[] =>
    [...found].flatMap(([path, text]) => (path.startsWith('receipts/') ? [JSON.parse(text) as ReceiptDocument] : []));

  it('hold no receipt beyond the checkpoint they are proved by, should others be committed in between', async () => {
    const newest = reads.newestCheckpoint(1);
    await receipts.attestRuns(2);
    const found = documents(await files({ newestCheckpoint: () => newest }));
    expect(found.map(({ proof }) => proof?.index)).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
    const trust = readTrust(JSON.stringify(keys)) ?? expect.fail('no keys');
    for (const document of found) expect(verify(JSON.stringify(document), trust).overall).to.equal('VERIFIED');
  });

  it('name no log that has no checkpoint yet, or one that cannot be read', async () => {
    for (const newest of [undefined, { size: 3, note: 'no note' }]) {
      const found = await files({ newestCheckpoint: () => newest }, { tiles: true });
      expect([...found.keys()]).to.deep.equal(['export.json', 'HOWTO.md', 'jwks.json', 'policy']);
      expect((JSON.parse(found.get('export.json') ?? '') as Manifest).logs).to.deep.equal([]);
    }
  });

  it('hold a receipt without a proof when its entry or a tile is damaged, and every other as it is', async () => {
    const [first] = documents(await files());
    const without = (found: readonly ReceiptDocument[]) =>
      found.flatMap(({ proof }, at) => (proof === undefined ? [at] : []));
    const cut = await files({
      entries: (log, from, count) => (from === 3 && count === 1 ? [] : reads.entries(log, from, count)),
    });
    expect(without(documents(cut))).to.deep.equal([3]);
    const damaged = documents(await files({ tile: () => new Uint8Array() }));
    expect(damaged).to.have.length.greaterThan(3);
    expect(without(damaged)).to.deep.equal(damaged.map((_, at) => at));
    expect(damaged[0]?.envelope).to.deep.equal(first?.envelope);
  });

  it('end with the fault when the store cannot be read', async () => {
    const away = (): never => {
      throw new Error('the store is away');
    };
    expect(String(await files({ tile: away }).catch((error: unknown) => error))).to.include('the store is away');
  });

  it('hold what is stored of a payload that is damaged, without a copy for reading', async () => {
    const payload = Buffer.from('x');
    const found = documents(
      await files({ exportRows: (...given) => reads.exportRows(...given).map((row) => ({ ...row, payload })) }),
    );
    expect(found[0]).to.not.have.property('statement');
    expect(found[0]?.envelope.payload).to.equal(payload.toString('base64'));
  });
});
