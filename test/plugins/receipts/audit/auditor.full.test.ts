import { once } from 'node:events';
import { mock } from 'node:test';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { RunningAuditor } from '../../../../plugins/receipts/audit/auditor.ts';
import type { AuditRecord } from '../../../../plugins/receipts/log/rows/audit.ts';
import type { FromAuditor, ToAuditor } from '../../../../plugins/receipts/audit/worker.ts';
import type { AuditFinding } from '../../../../plugins/receipts/contract.ts';
import receiptsStore from '../../../../plugins/receipts/store.ts';
import { until } from '../../../helpers/until.ts';
import { openReceiptsStore, startReceipts, temporaryDir } from '../harness.ts';
import { readsNow } from '../../../helpers/reads.ts';

describe('the auditor, told by its thread', function () {
  this.timeout(60_000);
  let dir: ReturnType<typeof temporaryDir>;
  let store: Awaited<ReturnType<typeof openReceiptsStore>>;
  let auditor: RunningAuditor;
  let worker: Worker;
  let said: ToAuditor[];
  let findings: AuditFinding[];
  let written: AuditRecord[];
  let errors: string[];
  let write: () => Promise<unknown>;
  before(async () => {
    dir = temporaryDir();
    await (await startReceipts(dir.path)).stop();
    store = await openReceiptsStore(dir.path);
  });
  after(async () => {
    await store.close();
    dir.remove();
  });
  beforeEach(async () => {
    [said, findings, written, errors] = [[], [], [], []];
    write = () => Promise.resolve([undefined]);
    const made = once(process, 'worker') as Promise<[Worker]>;
    mock.timers.enable({ apis: ['setInterval'] });
    auditor = new RunningAuditor({
      ...{ facts: [], reads: readsNow(store, receiptsStore), clock: systemClock },
      left: { failing: [], places: [] },
      log: { ...silentLog, error: (fields: { readonly err?: unknown }) => void errors.push(String(fields.err)) },
      store: {
        ...{ place: store.place, node: store.node, shared: false },
        write: ((operations: readonly { readonly args: unknown }[]) => {
          written.push(...operations.map(({ args }) => args as AuditRecord));
          return write();
        }) as typeof store.write,
      },
    });
    auditor.service.onFinding((finding) => findings.push(finding));
    [worker] = await made;
    await until(
      () => auditor.behind(),
      (behind) => behind === 0,
    );
    // From here on it hears nothing but its end, and says what the test says.
    const post = worker.postMessage.bind(worker);
    mock.method(worker, 'postMessage', (message: ToAuditor) => {
      said.push(message);
      if (message.kind === 'close') post(message);
    });
  });
  afterEach(async () => {
    await auditor.close();
    mock.timers.reset();
    mock.reset();
  });

  // Of logs that the test made up.
  const placesWritten = () => written.flatMap(({ places }) => places.filter(({ origin }) => origin.length === 1));
  const tell = (message: FromAuditor): void => void worker.emit('message', message);
  const round = (failed: readonly [id: string, ...verdicts: string[]][], missing: string[] = []): void =>
    tell({
      ...{ kind: 'round', place: { origin: 'o', next: 1 }, verified: 0, missing },
      failed: failed.map(([receipt_id, ...verdicts]) => ({ receipt_id, verdicts })),
    });
  const again = (receipt_id: string, ...verdicts: string[]): void =>
    tell({ kind: 'again', receipt_id, ...(verdicts.length === 0 ? {} : { failed: { receipt_id, verdicts } }) });
  const asked = () => said.flatMap((message) => (message.kind === 'again' ? message.receipt_ids : []));
  const looked = (receipt_id: string, valid: boolean, ...failing: string[]): void => {
    const checks = failing.map((name) => ({ name, result: 'fail' as const }));
    auditor.looked({ receipt_id, signature_valid: valid, checks });
  };
  const found = () => findings.map(({ receipt_id, state }) => `${receipt_id} ${state}`);
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('reports a receipt of a revoked key that fails otherwise too, and one whose verdict is unknown', async () => {
    round([['revoked', 'key_status_at_index'], ['both', 'key_status_at_index', 'envelope'], ['unknown']]);
    await settled();
    expect(found()).to.deep.equal(['both failing', 'unknown failing']);
    again('both', 'key_status_at_index', 'envelope');
    again('both', 'key_status_at_index');
    await settled();
    expect(found().slice(2)).to.deep.equal(['both cleared']);
  });

  it('tells of a receipt once, until it verifies again', async () => {
    for (let at = 0; at < 2; at++) round([['a', 'envelope']]);
    again('a', 'envelope');
    again('a');
    again('a');
    round([['a', 'envelope']]);
    await settled();
    expect(found()).to.deep.equal(['a failing', 'a cleared', 'a failing']);
    expect(written.map(({ cleared, failing }) => [failing.length, cleared.length])).to.deep.equal([
      ...[
        [1, 0],
        [0, 1],
        [1, 0],
      ],
    ]);
  });

  it('tells of it once it is written down, or could not be', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    write = () => promise;
    round([['a', 'envelope']]);
    await settled();
    expect(findings).to.deep.equal([]);
    expect(Date.parse(auditor.service.failing()[0]?.at ?? '')).to.be.closeTo(Date.now(), 60_000);
    reject(new Error('the disk is full'));
    await settled();
    expect(found()).to.deep.equal(['a failing']);
  });

  it('writes down again what could not be written, at its end at the latest', async () => {
    write = () => Promise.reject(new Error('the disk is full'));
    round([['a', 'envelope']]);
    await settled();
    write = () => Promise.resolve([undefined]);
    await auditor.close();
    expect(written.map(({ failing }) => failing.map(({ receipt_id: id }) => id))).to.deep.equal([['a'], ['a']]);
  });

  it('writes down what comes next alone once it could write again', async () => {
    write = () => Promise.reject(new Error('the disk is full'));
    round([['a', 'envelope']]);
    await settled();
    write = () => Promise.resolve([undefined]);
    for (const id of ['b', 'c']) round([[id, 'envelope']]);
    await settled();
    const ids = written.map(({ failing }) => failing.map(({ receipt_id: id }) => id).join(' '));
    expect(ids).to.deep.equal(['a', 'a b', 'c']);
  });

  it('remembers that it went on to the next log, though it is as far in that', async () => {
    const reach = (origin: string): void =>
      tell({ kind: 'round', place: { origin, next: 1 }, verified: 1, missing: [], failed: [] });
    round([['a', 'envelope']]);
    await settled();
    reach('p');
    await auditor.close();
    expect(placesWritten()).to.deep.equal([
      { origin: 'o', next: 1 },
      { origin: 'p', next: 1 },
    ]);
  });

  it('tells everybody, though one who hears of it fails; and nobody who has left', async () => {
    const heard: string[] = [];
    auditor.service.onFinding(() => {
      throw new Error('a fault of a listener');
    });
    const leave = auditor.service.onFinding(() => heard.push('left'));
    auditor.service.onFinding(({ receipt_id: id }) => heard.push(id));
    leave();
    round([
      ['a', 'envelope'],
      ['b', 'envelope'],
    ]);
    await settled();
    expect(heard).to.deep.equal(['a', 'b']);
  });

  it('shows the first entry without its receipt, whatever follows', () => {
    round([], ['o@4', 'o@9']);
    round([], ['o@2']);
    expect(auditor.health().reason).to.match(/ o@4$/);
  });

  it('has a receipt verified again when what somebody read is news, once until that is answered', () => {
    round([['failing', 'envelope']]);
    looked('failing', false, 'envelope');
    looked('sound', true);
    looked('revoked', false, 'key_status_at_index');
    expect(asked()).to.deep.equal([]);
    for (let at = 0; at < 2; at++) looked('failing', true);
    looked('both', false, 'key_status_at_index', 'envelope');
    looked('unknown', false);
    expect(asked()).to.deep.equal(['failing', 'both', 'unknown']);
    again('both');
    looked('both', false, 'envelope');
    expect(asked().slice(3)).to.deep.equal(['both']);
  });

  it('has the thread look again when the log grew, though it was told while that was at work', async () => {
    const looks = () => said.filter(({ kind }) => kind === 'look').length;
    tell({ kind: 'idle' });
    auditor.grew();
    expect(looks()).to.equal(1);
    auditor.grew();
    expect(looks(), 'it is at work').to.equal(1);
    tell({ kind: 'idle' });
    expect(looks()).to.equal(2);
    tell({ kind: 'idle' });
    expect(looks(), 'nothing is new').to.equal(2);
  });

  it('asks the next thread for what fails, though the one before was asked and never answered', async () => {
    round([['a', 'envelope']]);
    looked('a', true);
    expect(asked()).to.deep.equal(['a']);
    const posted = mock.method(Worker.prototype, 'postMessage');
    const next = once(process, 'worker');
    worker.emit('error', new Error('a fault of the thread'));
    void worker.terminate();
    const [successor] = (await next) as [Worker];
    const [first] = posted.mock.calls;
    expect(first?.arguments[0]).to.deep.equal({ kind: 'again', receipt_ids: ['a'] });
    expect(errors).to.include('Error: a fault of the thread');
    successor.emit('message', { kind: 'again', receipt_id: 'a' } satisfies FromAuditor);
    expect(auditor.health()).to.deep.equal({ health: 'up' });
  });

  it('counts what is left of each log', () => {
    const logs = readsNow(store, receiptsStore).logs();
    const [{ origin, size }] = logs as [(typeof logs)[0]];
    const reach = (place: { readonly origin: string; readonly next: number }) => {
      tell({ kind: 'round', place, verified: 1, missing: [], failed: [] });
      return auditor.behind();
    };
    expect([reach({ origin, next: size - 1 }), reach({ origin, next: size })]).to.deep.equal([1, 0]);
    expect(reach({ origin: 'a log that is gone', next: 1 })).to.equal(0);
  });

  it('counts what was verified', () => {
    const before = auditor.verified();
    tell({ kind: 'round', place: { origin: 'o', next: 1 }, verified: 3, missing: [], failed: [] });
    expect(auditor.verified()).to.equal(before + 3);
  });

  it('writes down every five seconds how far it is, if it is further', () => {
    round([]);
    mock.timers.tick(4999);
    expect(written).to.deep.equal([]);
    mock.timers.tick(1);
    expect(placesWritten()).to.deep.equal([{ origin: 'o', next: 1 }]);
    mock.timers.tick(5000);
    expect(written).to.have.length(1);
  });

  it('has what fails verified again every 30 s', () => {
    round([['a', 'envelope']]);
    mock.timers.tick(29_999);
    expect(asked()).to.deep.equal([]);
    mock.timers.tick(1);
    expect(asked()).to.deep.equal(['a']);
  });

  it('neither writes nor asks after its end', async () => {
    round([['a', 'envelope']]);
    await auditor.close();
    const before = written.length;
    tell({ kind: 'round', place: { origin: 'o', next: 2 }, verified: 1, missing: [], failed: [] });
    mock.timers.tick(60_000);
    expect([written.length - before, asked()]).to.deep.equal([0, []]);
  });
});
