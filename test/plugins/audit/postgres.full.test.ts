import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { usePostgres } from '../../helpers/use-postgres.ts';
import { startApproving, type Approving } from '../approvals/started.ts';
import { contentOf, filesOf, trustOf, verified } from './archived.ts';

const plain = 200;

describe('an archive of evidence of a store in PostgreSQL', function () {
  this.timeout(120_000);
  const server = usePostgres();
  let office: Approving;
  let runs: readonly string[];

  before(async () => {
    const client = await server.client('evidence');
    await client.end();
    const env = { ORB_STORE_URL: server.url('evidence'), ORB_MASTER_KEY: 'ab'.repeat(32), ORB_NODE: 'a' };
    office = await startApproving({}, { env });
    const held = [];
    for (const decision of ['approve', 'refuse', 'approve']) {
      const { status, body } = await office.execute({ text: decision });
      expect(status, JSON.stringify(body)).to.equal(202);
      await office.decide(body.approval.id, 'ada', decision);
      held.push(body.run_id as string);
    }
    runs = held;
    for (const id of runs)
      await until(
        async () => (await office.call('GET', `/runs/${id}`)).body,
        ({ status }) => ['completed', 'denied'].includes(status as string),
        `the end of ${id}`,
      );
    office.asking.asks = [];
    const answers = await Promise.all(Array.from({ length: plain }, () => office.execute({ text: 'x' })));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(plain).fill(200));
    office.clock.set('2026-11-23T12:00:00Z');
  });
  after(() => office?.stop());

  it('holds all receipts and approvals of the time, verifies, and is refused after an edit', async () => {
    const headers = { authorization: `Bearer ${office.adminKey()}` };
    const answer = await fetch(`${office.url()}/audit/export?from=2026-11-23T00:00:00Z`, { headers });
    expect(answer.status).to.equal(200);
    const archive = Buffer.from(await answer.arrayBuffer());
    const trust = trustOf((await office.call('GET', '/.well-known/jwks.json', undefined, null)).body);
    const report = await verified(archive, trust);
    expect([report.fault, report.overall, report.exit]).to.deep.equal([undefined, 'VERIFIED', 0]);
    expect(report.checks).to.deep.include({ name: 'approval_matches', result: 'pass' });
    // Each run, and each decision, has a receipt; so have the keys that were made.
    expect(report.verified)
      .to.equal(report.receipts)
      .and.to.be.at.least(plain + 2 * runs.length);
    const paths = filesOf(archive).map(({ path }) => path);
    expect(paths).to.include.members([
      'README.md',
      'approvals/000000.jsonl',
      'export/log/0/checkpoint',
      'manifest.json',
    ]);
    const records = contentOf(archive, 'approvals/000000.jsonl').trim().split('\n');
    const states = records.map((line) => JSON.parse(line) as { run_id: string; state: string });
    expect(states.map(({ run_id, state }) => [run_id, state]).toReversed()).to.deep.equal([
      [runs[0], 'approved'],
      [runs[1], 'refused'],
      [runs[2], 'approved'],
    ]);
    const changed = Buffer.from(archive);
    const at = archive.indexOf('"refused"');
    changed.write('"expired"', at);
    expect(await verified(changed, trust)).to.include({ overall: 'REJECTED' });
  });
});
