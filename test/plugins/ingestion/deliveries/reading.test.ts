import { expect } from 'chai';
import { firstIdAt } from '../../../../kernel/index.ts';
import type { Arrived } from '../../../../plugins/ingestion/deliveries/writing.ts';
import type { Signal } from '../../../../plugins/ingestion/signals/signal.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { openInMemory, type MemoryStore } from '../../../helpers/stores/memory.ts';

type Store = MemoryStore<ReturnType<typeof ingestionStore.write>['operations'], ReturnType<typeof ingestionStore.read>>;

const at = (second: number): string => new Date(Date.UTC(2026, 10, 21) + second * 1000).toISOString();

describe('the deliveries of a store', () => {
  let store: Store;
  let reads: Store['reads']['deliveries'];
  beforeEach(() => {
    store = openInMemory(ingestionStore, () => Date.UTC(2026, 10, 21, 1));
    reads = store.reads.deliveries;
    for (const source_id of ['src_1', 'src_2']) source(source_id);
  });
  afterEach(() => store.driver.close());

  const source = (source_id: string): void =>
    store.operations.addSource({
      record: { source_id, name: source_id, vendor: 'alertmanager' },
      token_hash: Buffer.from(source_id),
      created_at: at(0),
    });
  const accept = (delivery_id: string, second: number, more: Partial<Arrived> = {}) =>
    store.operations.accept({
      ...{ delivery_id, source_id: 'src_1', vendor: 'alertmanager', delivery_key: delivery_id, stable: false },
      ...{ received_at: at(second), method: 'POST', headers: {}, query: {}, size: 1, digest: 'sha256:x' },
      ...{ auth_strength: 'strong', auth_scheme: 'test', test: false, keep_until: at(second + 100) },
      body: { form: 'raw', bytes: Buffer.from(delivery_id) },
      ...more,
    });
  const signal = (signal_id: string, delivery_id: string, more: Partial<Signal> = {}): Signal =>
    ({
      ...{ signal_id, delivery_id, source_id: 'src_1', fingerprint: 'f', type: 'orb.signal.alert', ordinal: 0 },
      ...{ occurred_at: at(0), delivery_key: delivery_id },
      ...more,
    }) as Signal;
  type Settled = Parameters<Store['operations']['settle']>[0];
  const settle = (delivery_id: string, more: Partial<Settled> = {}): Promise<void> =>
    store.operations.settle({
      ...{ delivery_id, signals: [], withdrawn: [], progress: 0, usage: [], normalizer_version: 1 },
      ...more,
    });
  const ids = (found: readonly { readonly delivery_id: string }[]): readonly string[] =>
    found.map(({ delivery_id }) => delivery_id);

  it('are listed newest first, by source, state, reason and the time they came: `from` belongs, `to` does not', async () => {
    const id = (second: number): string => firstIdAt('dlv', Date.parse(at(second)));
    for (const second of [1, 2, 3, 4])
      await accept(id(second), second, { source_id: second === 3 ? 'src_2' : 'src_1' });
    await settle(id(2), { state: 'dead', reason: 'unreadable' });
    await settle(id(4), { state: 'dead', reason: 'other' });
    const rows = [
      { query: {}, found: [4, 3, 2, 1] },
      { query: { limit: 2 }, found: [4, 3] },
      { query: { after: id(3) }, found: [2, 1] },
      { query: { source_id: 'src_2' }, found: [3] },
      { query: { state: 'dead' as const }, found: [4, 2] },
      { query: { state: 'dead' as const, source_id: 'src_2' }, found: [] },
      { query: { state: 'queued' as const, source_id: 'src_1' }, found: [1] },
      { query: { reason: 'unreadable' }, found: [2] },
      { query: { from: at(2) }, found: [4, 3, 2] },
      { query: { to: '2026-11-21T01:00:03+01:00' }, found: [2, 1] },
      { query: { from: '2026-11-21T00:00:02Z', state: 'queued' as const }, found: [3] },
    ];
    for (const { query, found } of rows)
      expect(ids(reads.deliveries({ limit: 9, ...query }).items), JSON.stringify(query)).to.deep.equal(found.map(id));
    expect(reads.activity('src_1')).to.include({ dead: 2, queued: 1 });
    expect(reads.activity('src_2').dead).to.equal(0);
  });

  it('are counted up to a thousand: a source with more of them is not walked through', async () => {
    for (let number = 0; number < 1002; number++) await accept(`dlv_${String(number).padStart(4, '0')}`, number);
    expect(reads.activity('src_1')).to.include({ queued: 1000, dead: 0 });
    expect(reads.activity('src_1').newest).to.include({ delivery_id: 'dlv_1001' });
    expect(reads.activity('src_2').newest).to.equal(undefined);
  });

  it('wait in the order of acceptance, each in the queue of its source', async () => {
    for (const [id, from] of [
      ['dlv_3', 'src_1'],
      ['dlv_2', 'src_2'],
      ['dlv_1', 'src_1'],
      ['dlv_4', 'src_1'],
    ] as const)
      await accept(id, 1, { source_id: from });
    await settle('dlv_1', { state: 'done' });
    expect(ids(reads.queued('src_1', 9))).to.deep.equal(['dlv_3', 'dlv_4']);
    expect(ids(reads.queued('src_1', 1))).to.deep.equal(['dlv_3']);
    expect(reads.depths()).to.deep.equal([
      { source_id: 'src_1', depth: 2 },
      { source_id: 'src_2', depth: 1 },
    ]);
  });

  it('are late from the oldest that waits, unless its source is paused: a deleted one pauses nothing', async () => {
    const pause = () =>
      store.operations.changeSource({
        record: { source_id: 'src_2', name: 'x', vendor: 'alertmanager', paused: true },
        since: at(0),
        at: at(9),
      });
    expect(reads.oldest()).to.equal(undefined);
    await accept('dlv_1', 1);
    await accept('dlv_2', 2, { source_id: 'src_2' });
    await accept('dlv_3', 3);
    await settle('dlv_1', { state: 'done' });
    expect(reads.oldest()).to.equal(at(2));
    await pause();
    expect(reads.oldest()).to.equal(at(3));
    store.operations.removeSource({ source_id: 'src_2', at: at(10) });
    expect(reads.oldest()).to.equal(at(2));
  });

  it('show when one of a source came last, or came again', async () => {
    expect(reads.activity('src_1').last).to.equal(undefined);
    await accept('dlv_1', 1);
    await accept('dlv_2', 2);
    await accept('dlv_3', 3, { source_id: 'src_2' });
    expect(reads.activity('src_1').last).to.equal(at(2));
    await accept('dlv_4', 8, { delivery_key: 'dlv_2' });
    expect(reads.activity('src_1').last).to.equal(at(8));
  });

  it('come once of a source under a key: a repeat without an id of the vendor is a refresh, and moves no time back', async () => {
    expect(accept('dlv_1', 5)).to.include({ delivery_id: 'dlv_1', status: 'accepted', refreshed: false });
    const again = (second: number, stable: boolean) => accept('dlv_9', second, { delivery_key: 'dlv_1', stable });
    expect(again(6, true)).to.include({ delivery_id: 'dlv_1', status: 'duplicate', refreshed: false });
    expect(reads.delivery('dlv_1')).to.include({ duplicates: 1, refreshes: 0, last_seen_at: at(5) });
    expect(again(8, false)).to.include({ delivery_id: 'dlv_1', status: 'duplicate', refreshed: true });
    await again(7, false);
    expect(reads.delivery('dlv_1')).to.include({ duplicates: 3, refreshes: 2, last_seen_at: at(8) });
    await accept('dlv_2', 6, { source_id: 'src_2', delivery_key: 'dlv_1' });
    await accept('dlv_3', 6);
    await accept('dlv_8', 9, { delivery_key: 'dlv_1' });
    expect(reads.delivery('dlv_2'), 'of another source').to.include({ duplicates: 0, last_seen_at: at(6) });
    expect(reads.delivery('dlv_3'), 'under another key').to.include({ duplicates: 0, last_seen_at: at(6) });
    expect(reads.body('dlv_1')?.bytes).to.deep.equal(Buffer.from('dlv_1'));
    expect(reads.body('dlv_3')?.bytes).to.deep.equal(Buffer.from('dlv_3'));
  });

  it('mark the secret that fits as used at the latest time', async () => {
    for (const [source_id, created_at] of [
      ['src_1', at(0)],
      ['src_1', at(0)],
      ['src_2', at(0)],
    ] as const)
      await store.operations.addSecret({ source_id, sealed: Buffer.from('x'), created_at, not_before: created_at });
    const used = (id: string) => store.reads.sources.secretsOf(id).map((one) => [one.version, one.last_used_at]);
    await accept('dlv_1', 5, { secret_version: 1 });
    await accept('dlv_2', 4, { secret_version: 1 });
    expect(used('src_1')).to.deep.equal([
      [2, undefined],
      [1, at(5)],
    ]);
    expect(used('src_2')).to.deep.equal([[1, undefined]]);
    await accept('dlv_3', 7, { secret_version: 1 });
    expect(used('src_1')).to.deep.equal([
      [2, undefined],
      [1, at(7)],
    ]);
  });

  it('show their signals in order, without those taken back, and how many they are', async () => {
    for (const id of ['dlv_1', 'dlv_2']) await accept(id, 1);
    await settle('dlv_1', {
      signals: [signal('sig_1', 'dlv_1', { ordinal: 2 }), signal('sig_3', 'dlv_1', { ordinal: 0 })],
    });
    await settle('dlv_2', { signals: [signal('sig_2', 'dlv_2')] });
    await settle('dlv_1', { signals: [signal('sig_4', 'dlv_1', { ordinal: 1 })], withdrawn: ['sig_1'] });
    const of = (limit?: number) => reads.signalsOfDelivery('dlv_1', limit).map(({ signal_id }) => signal_id);
    expect([of(), of(1)]).to.deep.equal([['sig_3', 'sig_4'], ['sig_3']]);
    await settle('dlv_1', { withdrawn: ['sig_1'] });
    expect(reads.delivery('dlv_1'), 'taken back once').to.include({ signals: 2 });
    expect(reads.delivery('dlv_2')).to.include({ signals: 1 });
  });

  it('name alerts and times, by what speaks of them still, and came last at some time', async () => {
    for (const [id, second] of [
      ['dlv_1', 1],
      ['dlv_2', 2],
      ['dlv_3', 3],
    ] as const)
      await accept(id, second);
    const again = signal('sig_4', 'dlv_1', { fingerprint: 'g', occurred_at: at(9), ordinal: 1 });
    await settle('dlv_1', { signals: [signal('sig_1', 'dlv_1'), again, { ...again, signal_id: 'sig_5' }] });
    await settle('dlv_2', { signals: [signal('sig_2', 'dlv_2')] });
    await settle('dlv_3', { signals: [signal('sig_3', 'dlv_3')] });
    const of = (id: string, second: number, fingerprint = 'f') => `${fingerprint} ${at(second)} ${id}`;
    const named = (...ids: readonly string[]) =>
      reads.namedBy(ids).map(({ fingerprint, occurred_at, seen_at }) => `${fingerprint} ${occurred_at} ${seen_at}`);
    expect(named('dlv_1', 'dlv_2', 'dlv_9')).to.have.members([of(at(1), 0), of(at(1), 9, 'g'), of(at(2), 0)]);
    await accept('dlv_8', 7, { delivery_key: 'dlv_2' });
    expect(named('dlv_2')).to.deep.equal([of(at(7), 0)]);
    const said = (occurred: number) =>
      reads.signalsAt([{ fingerprint: 'f', occurred_at: at(occurred) }]).map((all) => all.map((one) => one.signal_id));
    expect([said(0), said(9)]).to.deep.equal([[['sig_1', 'sig_2', 'sig_3']], [[]]]);
    await settle('dlv_2', { withdrawn: ['sig_2'] });
    expect([named('dlv_2'), said(0)]).to.deep.equal([[], [['sig_1', 'sig_3']]]);
  });

  it('have their tries counted again once a signal of them is recorded, and are freed when their reader is gone', async () => {
    for (const id of ['dlv_1', 'dlv_2', 'dlv_3']) await accept(id, 1);
    store.operations.lease({ delivery_ids: ['dlv_1', 'dlv_2'], until: at(60) });
    store.operations.lease({ delivery_ids: ['dlv_1', 'dlv_2'], until: at(60) });
    expect(reads.delivery('dlv_1')).to.include({ attempts: 2 });
    await settle('dlv_1', { progress: 1, signals: [signal('sig_1', 'dlv_1')] });
    await settle('dlv_2', { progress: 0 });
    expect([1, 2, 3].map((n) => reads.delivery(`dlv_${n}`)?.attempts)).to.deep.equal([1, 2, 0]);
    expect(reads.delivery('dlv_1')).to.include({ progress: 1, normalizer_version: 1, state: 'queued' });
    expect([store.operations.freeLeases(null), store.operations.freeLeases(null)]).to.deep.equal([2, 0]);
  });

  it('end with state, reason and time, and begin again without them', async () => {
    for (const id of ['dlv_1', 'dlv_2']) await accept(id, 1);
    await settle('dlv_1', { progress: 3, state: 'dead', reason: 'unreadable' });
    const processed_at = '2026-11-21T01:00:00.000Z';
    expect(reads.delivery('dlv_1')).to.include({ state: 'dead', reason: 'unreadable', progress: 0, processed_at });
    expect(reads.delivery('dlv_2')).to.include({ state: 'queued' });
    expect(await store.operations.requeue({ delivery_ids: ['dlv_1', 'dlv_2'] })).to.equal(1);
    expect(reads.delivery('dlv_1')).to.include({ state: 'queued', attempts: 0 });
    expect(reads.delivery('dlv_1')).not.to.have.property('reason');
  });

  it('lose their body when its time is over, and all else unless incidents may rest on them', async () => {
    for (const id of ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4']) await accept(id, 1);
    await settle('dlv_1', { state: 'done', signals: [signal('sig_1', 'dlv_1')] });
    await settle('dlv_2', { state: 'done', signals: [signal('sig_2', 'dlv_2', { type: 'orb.signal.analytics' })] });
    await settle('dlv_3', { state: 'done', signals: [signal('sig_3', 'dlv_3', { type: 'orb.signal.delivery' })] });
    expect(await store.operations.purge({ now: at(101) }), 'at its end').to.equal(0);
    expect(await store.operations.purge({ now: at(102) })).to.equal(3);
    expect(await store.operations.purge({ now: at(102) }), 'evidence is not looked at again').to.equal(0);
    expect(ids(reads.deliveries({ limit: 9 }).items)).to.deep.equal(['dlv_4', 'dlv_1']);
    expect([1, 2, 3, 4].map((n) => reads.body(`dlv_${n}`)?.form)).to.deep.equal([
      ...[undefined, undefined, undefined, 'raw'],
    ]);
    expect([1, 2, 3].map((n) => reads.signalsOfDelivery(`dlv_${n}`).length)).to.deep.equal([1, 0, 0]);
  });

  it('are evidence as long as they are kept: who proved it, and whether the body is there as it came', async () => {
    await accept('dlv_1', 1, { secret_version: 3 });
    await accept('dlv_2', 2, { body: { form: 'gzip', bytes: Buffer.from('x') } });
    await accept('dlv_3', 3, { body: { form: 'reduced', bytes: Buffer.from('x') } });
    const scheme = 'test';
    expect(reads.evidence('dlv_1')).to.deep.equal({ scheme, secret_version: 3, received_at: at(1), raw_kept: true });
    expect(reads.evidence('dlv_2')).to.deep.equal({ scheme, received_at: at(2), raw_kept: true });
    expect(reads.evidence('dlv_3')).to.deep.equal({ scheme, received_at: at(3), raw_kept: false });
    expect(reads.evidence('dlv_4')).to.equal(undefined);
  });

  it('count usage per day, kind, name and proof, and list it from a day on: newest and most first', async () => {
    await accept('dlv_1', 1);
    const one = { source_id: 'src_1', day: '2026-11-20', kind: 'track', name: 'a', verified: true, by: 1 };
    const usage = [
      ...[one, { ...one, by: 2 }, { ...one, name: 'b', by: 9 }, { ...one, verified: false }, { ...one, kind: 'page' }],
      ...[
        { ...one, day: '2026-11-21' },
        { ...one, day: '2026-11-19' },
        { ...one, source_id: 'src_2' },
      ],
      ...[{ ...one, name: 'none', by: 0 }],
    ];
    await settle('dlv_1', { usage });
    const shown = reads
      .usage('src_1', '2026-11-20')
      .map((row) => [row.day, row.kind, row.name, row.verified, row.count]);
    expect(shown.slice(0, 3)).to.deep.equal([
      ['2026-11-21', 'track', 'a', true, 1],
      ['2026-11-20', 'track', 'b', true, 9],
      ['2026-11-20', 'track', 'a', true, 3],
    ]);
    expect(shown.slice(3)).to.have.deep.members([
      ['2026-11-20', 'track', 'a', false, 1],
      ['2026-11-20', 'page', 'a', true, 1],
    ]);
  });

  it('count what goes beyond 200 names of a source and day together, what is known stays by its name', async () => {
    await accept('dlv_1', 1);
    const one = { source_id: 'src_1', day: '2026-11-20', kind: 'track', name: 'a', verified: true, by: 1 };
    const named = (count: number, more: object) =>
      Array.from({ length: count }, (_, index) => ({ ...one, name: `n${index}`, ...more }));
    await settle('dlv_1', { usage: [...named(150, { source_id: 'src_2' }), ...named(150, { day: '2026-11-19' })] });
    await settle('dlv_1', { usage: [...named(200, {}), { ...one, name: 'n0' }] });
    expect(reads.usage('src_1', '2026-11-20').map(({ name }) => name)).not.to.include('(other)');
    await settle('dlv_1', {
      usage: [one, { ...one, name: 'n1', kind: 'page' }, { ...one, name: 'n1', verified: false }],
    });
    const other = reads.usage('src_1', '2026-11-20').filter(({ name }) => name === '(other)');
    expect(other.map(({ kind, verified, count }) => [kind, verified, count])).to.have.deep.members([
      ['(other)', true, 2],
      ['(other)', false, 1],
    ]);
  });
});
