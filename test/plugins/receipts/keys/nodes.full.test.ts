import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeIdentity, Row } from '../../../../kernel/index.ts';
import { viewStore } from '../../../../kernel/store/view/read-only.ts';
import { fsckCommand } from '../../../../plugins/receipts/commands/fsck.ts';
import type { Appended } from '../../../../plugins/receipts/issue/append-receipt.ts';
import { createTransparencyLog } from '../../../../plugins/receipts/log/stored/transparency-log.ts';
import receiptsStore from '../../../../plugins/receipts/store.ts';
import { runCommand } from '../../../helpers/command.ts';
import { needPostgres } from '../../../helpers/use-postgres.ts';
import { postgresEngine, type Engine, type EngineStore } from '../../../helpers/stores/engines.ts';
import { batchOf, fact, issuerOf } from '../engine-writes.ts';

describe('the shards of several nodes on one store', function () {
  this.timeout(60_000);
  let engine: Engine;
  let first: EngineStore;
  let opened: EngineStore[];

  before(async function () {
    needPostgres(this);
    engine = await postgresEngine();
  });
  after(() => engine?.stop());
  beforeEach(async () => {
    first = await engine.open([receiptsStore], { shared: true });
    opened = [first];
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
  });

  const beside = async (node: string, stateDir?: string): Promise<EngineStore> => {
    const store = await first.beside(node, stateDir);
    opened.push(store);
    return store;
  };
  const append = async (store: EngineStore, count = 3): Promise<readonly Appended[]> => {
    const issuer = await issuerOf(store);
    const { failures, results } = await store.commit(
      batchOf(...Array.from({ length: count }, (_, index) => fact(issuer, index % 2))),
    );
    expect(failures).to.deep.equal([]);
    return results as Appended[];
  };
  const freeze = async (store: EngineStore, ended: NodeIdentity): Promise<unknown> => {
    const { failures, results } = await store.commit(batchOf(['freeze', ended]));
    expect(failures).to.deep.equal([]);
    return results[0];
  };
  const logs = (): Promise<readonly Row[]> =>
    first.rows('SELECT log, shard, origin, node, incarnation, follows, status FROM receipts_logs ORDER BY log');
  /** The shards as node, status and the node of the one they continue. */
  const shown = async (): Promise<readonly string[]> => {
    const rows = await logs();
    const nodeOf = (origin: unknown): string => String(rows.find((row) => row['origin'] === origin)?.['node'] ?? '');
    return rows.map(({ follows, node, status }) => `${String(node)} ${String(status)} ${nodeOf(follows)}`.trim());
  };
  /** What the node has written down in its state dir: the newest checkpoint of its own log. */
  const keepCopy = async ({ node, place }: EngineStore): Promise<void> => {
    const view = await viewStore(place);
    const note = view && receiptsStore.read(view).ownNote({ ...node, shared: true });
    view?.close();
    writeFileSync(join(place.stateDir, 'checkpoint'), note ?? expect.fail('no own log'));
  };
  /** Checks every shard, every receipt, and that a follower of the log sees each entry once. */
  const sound = async (): Promise<void> => {
    // A start writes all keys down in its state dir.
    const last = await beside('auditor');
    const { exit, text } = await runCommand(fsckCommand, last.place.stateDir, [], { store: () => last.place });
    expect(exit, text).to.equal(0);
    const view = (await viewStore(last.place)) ?? expect.fail('no store');
    try {
      const log = createTransparencyLog(
        receiptsStore.read(view),
        () => true,
        () => () => undefined,
      );
      const read = new Map<string, number>();
      const seen = new Set<string>();
      for (;;) {
        const entries = await log.entriesAfter(read, 7);
        if (entries.length === 0) break;
        for (const { index, origin } of entries) {
          read.set(origin, index + 1);
          seen.add(`${origin} ${index}`);
        }
      }
      const [count] = await first.rows('SELECT count(*) AS n FROM receipts_entries');
      expect(seen.size).to.equal(count?.['n']);
    } finally {
      view.close();
    }
  };

  it('have a random part in their names, and numbers given once', async () => {
    for (const node of ['b', 'c']) await append(await beside(node));
    const names = (await logs()).map(({ shard }) => String(shard));
    expect(names.map((name) => name.replace(/-[0-9a-f]{8}$/, '-x'))).to.deep.equal(['0-x', '1-x', '2-x']);
  });

  it('open with their first entry: a start that attests nothing leaves none', async () => {
    for (let start = 0; start < 3; start++) await (await beside('b')).close();
    expect(await shown()).to.deep.equal(['a active']);
    const b = await beside('b');
    const [appended] = await append(b, 1);
    expect(appended?.index).to.be.greaterThan(0);
    expect(await shown()).to.deep.equal(['a active', 'b active']);
    await append(b, 2);
    expect(await shown()).to.have.length(2);
    await sound();
  });

  it('are gone on with by the node whose state dir shows that it signed last, after its restart', async () => {
    const b = await beside('b');
    await append(b);
    // It ended before its copy was renewed: what it wrote when its log opened is enough.
    const again = await beside('b', b.place.stateDir);
    await append(again);
    expect(await shown()).to.deep.equal(['a active', 'b active']);
    expect((await logs())[1]?.['incarnation']).to.equal(again.node.incarnation);
    await sound();
  });

  it('are continued by a new one when the state dir is lost', async () => {
    await append(await beside('b'));
    await append(await beside('b'));
    expect(await shown()).to.deep.equal(['a active', 'b frozen', 'b active b']);
    await sound();
  });

  it('are frozen by the node that adopts, which holds their last checkpoint; the node opens a successor', async () => {
    const [b, c] = [await beside('b'), await beside('c')];
    await append(b);
    await keepCopy(b);
    const origin = (await logs())[1]?.['origin'];
    const [{ kid } = { kid: '' }] = await first.rows('SELECT kid FROM receipts_logs WHERE log = 2');
    expect(await freeze(c, b.node)).to.deep.equal([origin]);
    expect(await freeze(c, b.node), 'a second time').to.deep.equal([]);
    expect(await shown()).to.deep.equal(['a active', 'b frozen', 'c active']);
    const [entry] = await first.rows(
      `SELECT payload FROM receipts_receipts WHERE kind = 'key' ORDER BY receipt_id DESC`,
    );
    const { predicate } = JSON.parse(Buffer.from(String(entry?.['payload']), 'hex').toString()) as {
      readonly predicate: { readonly facts: object };
    };
    const [kept] = await first.rows('SELECT note FROM receipts_checkpoints WHERE log = 2');
    expect(predicate.facts).to.include({ change: 'adopted', origin, previous_checkpoint: kept?.['note'] });
    await append(await beside('b', b.place.stateDir));
    expect(await shown()).to.deep.equal(['a active', 'b frozen', 'c active', 'b active b']);
    await sound();
    // A frozen shard that is left out, with its key and its successor's memory of it, is missed by the adopter's entry.
    const { place } = await beside('auditor');
    await first.edit(
      `DELETE FROM receipts_logs WHERE log = 2; DELETE FROM receipts_signing_keys WHERE kid = '${String(kid)}'`,
    );
    await (await beside('auditor', place.stateDir)).close();
    const { exit, text } = await runCommand(fsckCommand, place.stateDir, [], { store: () => place });
    expect([exit, text.includes(`${String(origin).slice(-10)}: 1 flaw`)], text).to.deep.equal([5, true]);
  });

  it('take nothing once they are frozen, also of a process that does not know it', async () => {
    const b = await beside('b');
    await append(b);
    await freeze(first, b.node);
    const before = await first.rows('SELECT count(*) AS n FROM receipts_entries WHERE log = 2');
    await append(b);
    expect(await first.rows('SELECT count(*) AS n FROM receipts_entries WHERE log = 2')).to.deep.equal(before);
    expect(await shown()).to.deep.equal(['a active', 'b frozen', 'b active b']);
    await sound();
  });

  it('are signed by a receipt key of each node, which a key that was known before has named', async () => {
    const stores = [first, await beside('b'), await beside('c')];
    for (const store of stores) await append(store);
    for (const store of [await beside('b', stores[1]?.place.stateDir), await beside('c')]) await append(store);
    const signers = await first.rows(
      `SELECT DISTINCT l.node, k.node AS signer FROM receipts_receipts AS r JOIN receipts_logs AS l ON l.log = r.log
       JOIN receipts_signing_keys AS k ON k.kid = r.kid WHERE r.kind = 'run' ORDER BY l.node`,
    );
    expect(signers).to.deep.equal(['a', 'b', 'c'].map((node) => ({ node, signer: node })));
    const firsts = await first.rows(
      `SELECT l.node, l.follows, k.node AS signer FROM receipts_receipts AS r JOIN receipts_logs AS l ON l.log = r.log
       JOIN receipts_signing_keys AS k ON k.kid = r.kid WHERE r.idx = 0 ORDER BY l.log`,
    );
    expect(firsts.map(({ node, signer }) => `${String(node)} ${node === signer ? 'itself' : 'another'}`)).to.deep.equal(
      ['a itself', 'b another', 'c another', 'c itself'],
    );
    await sound();
  });

  it('keep what a key signed before it is revoked, also the entries by which it made others known', async () => {
    const b = await beside('b');
    await append(b);
    const [key] = await first.rows(`SELECT kid FROM receipts_signing_keys WHERE role = 'receipt' AND node = 'a'`);
    await append(first);
    const { failures } = await first.commit(
      batchOf(['changeKey', { change: 'revoke', kid: key?.['kid'], reason: 'lost' }]),
    );
    expect(failures).to.deep.equal([]);
    for (const store of [first, b, await beside('c')]) await append(store);
    await sound();
  });

  it('keep their own: nobody freezes the shard of its own process', async () => {
    const { failures } = await first.commit(batchOf(['freeze', first.node]));
    expect(failures).to.have.length(1);
    expect(await shown()).to.deep.equal(['a active']);
  });

  it('are opened once each by nodes that begin at the same moment', async () => {
    const nodes = await Promise.all(['b', 'c', 'd'].map((node) => beside(node)));
    await Promise.all([first, ...nodes].map((store) => append(store)));
    await Promise.all([first, ...nodes].map((store) => append(store)));
    expect([...(await shown())].sort()).to.deep.equal(['a active', 'b active', 'c active', 'd active']);
    expect(new Set((await logs()).map(({ shard }) => Number.parseInt(String(shard), 10))).size).to.equal(4);
    await sound();
  });

  it('hold together while nodes come and go, adopt each other, and commits fail or go unheard', async () => {
    const nodes = [first, await beside('b'), await beside('c')];
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 25; round++) {
      const at = random(nodes.length);
      const store = nodes[at] ?? first;
      if (random(4) === 0) store.faults.push(random(2) === 0 ? 'fails' : 'unheard');
      if (random(4) > 0) {
        await append(store, 1 + random(4));
        continue;
      }
      if (at === 0) continue;
      // It ends, another adopts it, and its node starts again: with what its state dir shows, or without.
      await freeze(nodes[(at + 1) % nodes.length] ?? first, store.node);
      nodes[at] = await beside(store.node.name, random(2) === 0 ? store.place.stateDir : undefined);
    }
    for (const store of nodes) await append(store, 1);
    await sound();
  });
});
