import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import type { Auditor } from '../../../../plugins/receipts/contract.ts';
import type { FromAuditor } from '../../../../plugins/receipts/audit/worker.ts';
import { startRelay, type Relay } from '../../../helpers/relay.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from '../harness.ts';
import { engineModule } from '../../../helpers/postgres.ts';

describe('the auditor of a database that goes away', function () {
  // The auditor has the lowest priority: on a busy machine others go first.
  this.timeout(300_000);
  const server = usePostgres();
  let dir: ReturnType<typeof temporaryDir>;
  let relay: Relay;
  let receipts: Harness | undefined;

  before(async () => {
    await server.client('audited');
    relay = await startRelay(server.socket);
    dir = temporaryDir();
  });
  after(async () => {
    relay?.set('open');
    await receipts?.stop();
    await relay?.close();
    dir?.remove();
  });

  const start = (): Promise<Harness> => {
    const connect = { host: '127.0.0.1', port: relay.port, user: 'orb', database: 'audited', ssl: false } as const;
    const address = { module: engineModule, connect, shown: 'postgres:///audited' };
    return startReceipts(dir.path, undefined, undefined, 'a', { address, masterKey: 'ab'.repeat(32) });
  };
  const behind = async ({ metrics }: Harness): Promise<number> =>
    Number(/^orb_receipts_audit_behind (\d+)$/m.exec((await metrics.show()).text)?.[1] ?? NaN);

  it('finds no receipt broken that it could not read, says so, and goes on when it can', async () => {
    const first = await start();
    await Promise.all(Array.from({ length: 128 }, () => first.attest(newRun())));
    await first.stop();
    const worker = Promise.withResolvers<Worker>();
    const found = (made: Worker): void => {
      if (made.threadName === 'auditor') worker.resolve(made);
    };
    process.on('worker', found);
    const running = (receipts = await start());
    const thread = await worker.promise;
    process.off('worker', found);
    const findings: unknown[] = [];
    const auditor = running.services['receiptAuditor'] as Auditor;
    auditor.onFinding((finding) => findings.push(finding));
    await new Promise<void>((resolve) => {
      thread.on('message', ({ kind }: FromAuditor) => {
        if (kind === 'round') resolve();
      });
    });
    relay.set('refusing');
    relay.reset();
    const { reason } = await until(
      () => running.health(),
      ({ reason: why = '' }) => why.startsWith('the auditor cannot read the store'),
      'the auditor says that it cannot read',
    );
    expect(reason).to.include('the database does not answer');
    relay.set('open');
    await until(
      () => behind(running).catch(() => NaN),
      (left) => left === 0,
      'the end of the log',
    );
    expect([auditor.failing(), findings]).to.deep.equal([[], []]);
    expect(running.health()).to.deep.equal({ health: 'up' });
  });
});
