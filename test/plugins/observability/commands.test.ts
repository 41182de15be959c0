import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';

describe('orb status', function () {
  this.timeout(120_000);
  let served: Served;
  let url: string;
  let key: string;
  before(async () => {
    served = createServed();
    ({ url, key } = await served.start());
  });
  after(() => served.remove());

  it('tells how the platform is, and ends with 0 when it is well', () => {
    const { status, stdout, stderr } = served.orb('status');
    expect([status, stderr]).to.deep.equal([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).to.match(/^operational, 100 % in 30 days \(as of \S+Z\)$/);
    expect(lines.slice(1)).to.deep.equal([
      '  Runtime            operational',
      '  Reputation ledger  operational',
      '  Observable engine  operational',
      '  Ingestion          operational',
    ]);
    expect(JSON.parse(served.orb('status', '--json').stdout)).to.have.all.keys(
      'status',
      'uptime_30d_pct',
      'incidents',
      'services',
      'last_updated',
    );
  });

  it('needs no key', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'orb-elsewhere-'));
    const words = [shippedProgram, 'status'];
    const env = { PATH: process.env['PATH'] ?? '', ORB_URL: url };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: elsewhere, env, encoding: 'utf8' });
    rmSync(elsewhere, { recursive: true });
    expect([status, stderr], stdout).to.deep.equal([0, '']);
    expect(stdout).to.match(/^operational, /);
  });

  it('names what is wrong, and ends with 1', async () => {
    await fetch(`${url}/incidents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'x', severity: 'high', scope: [{ kind: 'component', id: 'ingestion' }] }),
    });
    await until(
      async () => (await (await fetch(`${url}/status`)).json()) as { status: string },
      ({ status }) => status === 'partial_outage',
    );
    const { status, stdout } = served.orb('status');
    expect(status).to.equal(1);
    expect(stdout).to.match(/^partial outage, /);
    expect(stdout).to.match(/^ {2}! Ingestion: partial outage \(investigating since \S+Z\)$/m);
  });
});
