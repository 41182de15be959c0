import { expect } from 'chai';
import type { PlatformError } from '../../../../kernel/index.ts';
import { Frontier } from '../../../../plugins/receipts/log/pure/frontier.ts';
import { hashLeaf, entriesOf } from '../../../../plugins/receipts/log/pure/tree.ts';
import { parsePolicy } from '../../../../plugins/receipts/log/pure/policy-file.ts';
import { verify } from '../../../../plugins/receipts/verifier/verify.ts';
import plugin from '../../../../plugins/receipts/index.ts';
import { admin, freshReceipts, latestCheckpoint, signedRuns } from '../fresh.ts';

describe('the log of receipts over its routes', () => {
  const receipts = freshReceipts();
  const json = async (path: string, query: object) =>
    (await receipts.published(path, {}, query)) as Record<string, unknown>;

  it('is rebuilt by a stranger from its entry bundles, its tiles and its checkpoint', async () => {
    await signedRuns(receipts, 260);
    const { size = 0n, root } = (await latestCheckpoint(receipts)) ?? {};
    expect(size).to.equal(263n);
    const bundles = [
      await receipts.published('/log/tile/{level}/{first}', { level: 'entries', first: '000' }),
      await receipts.published('/log/tile/{level}/{first}/{second}', { level: 'entries', first: '001.p', second: '7' }),
    ];
    const entries = bundles.flatMap((bundle) => entriesOf(bundle as Uint8Array) ?? []);
    const levels: Uint8Array[][] = [[], []];
    const leaves = entries.map((entry) => hashLeaf(entry));
    const frontier = Frontier.empty().append(leaves, (height, hash) => {
      if (height % 8 === 0) levels[height / 8]?.push(hash);
    });
    expect(Buffer.from(frontier.root())).to.deep.equal(Buffer.from(root ?? []));
    const tile = async (params: object, path: string) =>
      Buffer.from((await receipts.published(path, params)) as Uint8Array);
    const full = await tile({ level: '0', first: '000' }, '/log/tile/{level}/{first}');
    const rest = await tile({ level: '0', first: '001.p', second: '7' }, '/log/tile/{level}/{first}/{second}');
    expect(Buffer.concat([full, rest]).equals(Buffer.concat(levels[0] ?? []))).to.equal(true);
    const above = await tile({ level: '1', first: '000.p', second: '1' }, '/log/tile/{level}/{first}/{second}');
    expect(above.equals(Buffer.concat(levels[1] ?? []))).to.equal(true);
  });

  const missing = async (path: string, params: object, query = {}) =>
    ((await receipts.call(path, params, {}, query).catch((thrown: unknown) => thrown)) as PlatformError).code;

  it('serves no tile beyond its size, and none under another spelling', async () => {
    for (const params of [{ first: '001' }, { first: '000' }, { first: '0' }, { first: 'x000' }])
      expect(await missing('/log/tile/{level}/{first}', { level: '0', ...params })).to.equal('route_not_found');
    for (const b of ['4', '0', '256', '02'])
      expect(await missing('/log/tile/{level}/{first}/{second}', { level: '0', first: '000.p', second: b })).to.equal(
        'route_not_found',
      );
    expect(await missing('/log/tile/{level}/{first}', { level: '64', first: '000' })).to.equal('route_not_found');
    expect(await missing('/log/{shard}/checkpoint', { shard: '1' })).to.equal('route_not_found');
    expect(await receipts.published('/log/{shard}/checkpoint', { shard: '0' })).to.equal(
      await receipts.published('/log/checkpoint'),
    );
  });

  it('proves inclusion and consistency at every size it ever had, and refuses others', async () => {
    await signedRuns(receipts, 5);
    const at4 = await json('/log/proof/inclusion', { index: 3, size: 4 });
    const change = await json('/log/proof/consistency', { from: 4, to: 8 });
    expect(change['from_root']).to.equal(at4['root']);
    expect(change['to_root']).to.equal(Buffer.from((await latestCheckpoint(receipts))?.root ?? []).toString('base64'));
    expect((await json('/log/proof/consistency', { from: 8, to: 8 }))['hashes']).to.deep.equal([]);
    for (const query of [{ index: 8 }, { index: 4, size: 4 }, { index: 0, size: 9 }])
      expect(await missing('/log/proof/inclusion', {}, query)).to.equal('invalid_parameter');
    for (const query of [
      { from: 5, to: 4 },
      { from: 1, to: 9 },
    ])
      expect(await missing('/log/proof/consistency', {}, query)).to.equal('invalid_parameter');
  });

  it('answers 503 for what it cannot prove when it is damaged, and tells the cause to whoever reads the logs', async () => {
    const [receipt_id = ''] = await signedRuns(receipts, 5);
    receipts.edit('DELETE FROM receipts_entries WHERE idx = 2');
    for (const [path, params, query] of [
      ['/log/proof/inclusion', {}, { index: 7 }],
      ['/log/proof/consistency', {}, { from: 1, to: 8 }],
      ['/log/tile/{level}/{first}/{second}', { level: '0', first: '000.p', second: '8' }, {}],
      ['/receipts/{receipt_id}/proof', { receipt_id }, {}],
      ['/receipts/{receipt_id}', { receipt_id }, { format: 'tlog-proof' }],
    ] as const) {
      const thrown = await receipts.call(path, params, admin, query).catch((error: unknown) => error);
      expect(thrown, path).to.deep.include({ code: 'log_damaged' });
      expect((thrown as PlatformError).cause, path).to.be.instanceOf(Error);
    }
    expect(plugin.problems['log_damaged']?.status).to.equal(503);
  });

  it('names its keys in a trust file, with which its receipts verify', async () => {
    const [id = ''] = await signedRuns(receipts, 1);
    const policy = parsePolicy(String(await receipts.published('/log/policy')));
    const { keys } = receipts.trust();
    expect(
      verify(JSON.stringify(await receipts.read(id)), policy === undefined ? { keys } : { keys, policy }).exit,
    ).to.equal(0);
  });
});
