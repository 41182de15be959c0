import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';
import { need } from '../../helpers/needs.ts';

const rules = new URL('../../../plugins/observability/monitoring/alerts.yml', import.meta.url);

/** Finds a port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the alerts of the shipped rules, by Prometheus and Alertmanager', function () {
  this.timeout(200_000);
  const dir = mkdtempSync(join(tmpdir(), 'orb-own-alerts-'));
  const running: ChildProcess[] = [];
  let platform: TestPlatform;
  let source: {
    readonly source: { readonly source_id: string };
    readonly setup: { readonly snippets: readonly object[] };
  };

  before(async function () {
    need(this, 'prometheus', 'alertmanager');
    platform = await startPlatform();
    const key = await platform.call('POST', '/keys', { name: 'prometheus', scopes: ['metrics:read'] });
    const made = await platform.call('POST', '/sources', {
      ...{ name: 'am', vendor: 'alertmanager', may_name: { components: ['runtime'] } },
      policy: { hold_s: 0, reopen_window_s: 0 },
    });
    source = made.body;
    const receiver = String((made.body.setup.snippets[0] as { readonly text: string }).text);
    await start(String(key.body.key), receiver.replace(/https?:\/\/[^"]*\/hooks\//, `${platform.url}/hooks/`));
  });
  after(async () => {
    for (const one of running) one.kill('SIGKILL');
    await platform?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(key: string, receiver: string): Promise<void> {
    const [alertmanager, prometheus] = [await freePort(), await freePort()];
    const write = (name: string, text: string): void => writeFileSync(join(dir, name), text);
    write('key', key);
    // The shipped rules, only quicker.
    write('alerts.yml', readFileSync(rules, 'utf8').replace(/for: \d+[mh]/g, 'for: 1s'));
    write(
      'prometheus.yml',
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: ['alerts.yml'],
        alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanager}`] }] }] },
        scrape_configs: [
          {
            ...{ job_name: 'agent-orb', authorization: { type: 'Bearer', credentials_file: 'key' } },
            static_configs: [{ targets: [new URL(platform.url).host] }],
          },
        ],
      }),
    );
    const route = 'route: { receiver: orb, group_wait: 0s, group_interval: 1s, repeat_interval: 5s }\n';
    write('alertmanager.yml', route + receiver);
    run('prometheus-alertmanager', [
      ...['--config.file=alertmanager.yml', '--storage.path=am', '--cluster.listen-address='],
      `--web.listen-address=127.0.0.1:${alertmanager}`,
    ]);
    run('prometheus', [
      ...['--config.file=prometheus.yml', '--storage.tsdb.path=tsdb', '--web.enable-lifecycle'],
      `--web.listen-address=127.0.0.1:${prometheus}`,
    ]);
  }

  function run(name: string, args: readonly string[]): void {
    running.push(spawn(name, args, { cwd: dir, stdio: 'ignore' }));
  }

  const open = async () =>
    (await platform.call('GET', '/incidents?state=unresolved')).body.incidents as readonly {
      readonly incident_id: string;
      readonly kind: string;
    }[];
  const named = async (alertname: string, state: string): Promise<readonly object[]> => {
    const { deliveries } = (await platform.call('GET', `/deliveries?source_id=${source.source.source_id}`)).body;
    const all = await Promise.all(
      (deliveries as readonly { delivery_id: string }[]).map(
        async ({ delivery_id }) => (await platform.call('GET', `/deliveries/${delivery_id}`)).body.signals,
      ),
    );
    return (all.flat() as { labels: Record<string, string>; state: string }[]).filter(
      (signal) => signal.labels['alertname'] === alertname && signal.state === state,
    );
  };

  it('open no incident of the service that they name, and do not keep its incident open', async () => {
    const made = await platform.call('POST', '/incidents', {
      ...{ title: 'down', severity: 'critical' },
      scope: [{ kind: 'component', id: 'runtime' }],
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const told = await until(
      () => named('OrbServiceOutage', 'firing'),
      (found) => found.length > 0,
      'OrbServiceOutage',
      500,
    );
    expect(told[0]).to.include({ own: true });
    expect((await open()).map(({ kind }) => kind)).to.deep.equal(['operator']);
    const [{ incident_id = '' } = {}] = await open();
    await platform.call('POST', `/incidents/${incident_id}/resolve`, { reason: 'seen to' });
    await until(
      async () => (await platform.call('GET', '/status')).body.services.runtime as string,
      (word) => word === 'operational',
      'the end',
      500,
    );
    await until(
      () => named('OrbServiceOutage', 'resolved'),
      (found) => found.length > 0,
      'its resolution',
      500,
    );
    expect(await open()).to.deep.equal([]);
  });
});
