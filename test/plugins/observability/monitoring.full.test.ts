import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { builtin } from '../../helpers/shipped.ts';
import { shippedCommands } from '../../../kernel/main.ts';
import { startPlatform } from '../../helpers/platform.ts';
import { need } from '../../helpers/needs.ts';

const folder = new URL('../../../plugins/observability/monitoring/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}

const dashboards = ['dashboard.json', 'dashboard-providers.json'];
const panelsOf = (name: string): readonly Panel[] => (JSON.parse(read(name)) as { panels: readonly Panel[] }).panels;
const panels = dashboards.flatMap(panelsOf);
const expressions = [read('alerts.yml'), ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];

/** The labels that a metric has on a page of metrics, in any of its series. */
function labelsOf(page: string, metric: string): ReadonlySet<string> {
  const series = [...page.matchAll(new RegExp(`^${metric}\\{(.*)\\} `, 'gm'))].map(([, labels = '']) => labels);
  return new Set(series.flatMap((labels) => [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)));
}

describe('the files for Prometheus and Grafana', () => {
  it('name metrics, routes and commands that there are', async () => {
    const platform = await startPlatform();
    try {
      const text = String((await platform.call('GET', '/metrics')).body);
      const known = [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      );
      const alerts = read('alerts.yml');
      const named = expressions.join('');
      const metrics = [...named.matchAll(/\borb_[a-z0-9_]+/g)]
        .map(([name]) => name)
        .filter((name) => name !== 'orb_id' && name !== 'orb_origin');
      expect(metrics.length).to.be.greaterThan(30);
      for (const name of metrics) expect(known, name).to.include(name);
      const paths = platform.kernel.routes.map(({ path }) => path);
      for (const [, path = ''] of alerts.matchAll(/(?:GET|Open) (\/[\w/.-]*[\w-])/g))
        expect(paths, path).to.include(path);
      const commands = [...shippedCommands(), ...builtin.plugins.flatMap((plugin) => plugin.commands)];
      for (const [, words = ''] of alerts.matchAll(/\borb ((?:[a-z]+ )[a-z]+)/g))
        expect(
          commands.some(({ path }) => words === path),
          words,
        ).to.equal(true);
    } finally {
      await platform.stop();
    }
  });

  it('select by labels that the metrics of a server with runs have', async () => {
    const platform = await startPlatform();
    try {
      const inputs = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'x' };
      const { status } = await platform.call('POST', '/orbisets/default/execute', {
        ...{ orb_id: 'notify.email@1.0.0', inputs },
      });
      expect(status).to.equal(200);
      const page = String((await platform.call('GET', '/metrics')).body);
      const checked = new Set<string>();
      for (const [, metric = '', selected = ''] of expressions.join('').matchAll(/\b(orb_[a-z0-9_]+)\{([^}]*)\}/g)) {
        const labels = labelsOf(page, metric);
        // Some have no series here: no run continued with another provider.
        if (labels.size === 0) continue;
        checked.add(metric);
        const names = [...selected.matchAll(/(\w+)\s*(?:!=|!~|=~|=)/g)].map(([, label = '']) => label);
        expect([...labels, 'instance']).to.include.members(names, metric);
      }
      expect([...checked]).to.include.members(['orb_runs_total', 'orb_attempts_total', 'orb_provider_up']);
      expect(page).to.match(/^orb_attempts_total\{.*outcome="accepted"/m);
    } finally {
      await platform.stop();
    }
  });

  for (const name of dashboards)
    it(`hold ${name}, whose panels have ids of their own and do not lie on one another`, () => {
      const own = panelsOf(name);
      expect(new Set(own.map(({ id }) => id)).size).to.equal(own.length);
      const cells = own.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size).to.equal(cells.length);
      for (const { gridPos, title } of own) expect(gridPos.x + gridPos.w, title).to.be.at.most(24);
    });

  it('pass promtool: the rules fire when they are to, and are quiet when all is well', function () {
    need(this, 'prometheus');
    this.timeout(60_000);
    const dir = mkdtempSync(join(tmpdir(), 'orb-promtool-'));
    try {
      for (const name of ['alerts.yml', 'prometheus.yml']) writeFileSync(join(dir, name), read(name));
      writeFileSync(join(dir, 'orb-metrics.key'), 'orb_test_x');
      copyFileSync(new URL('alerts.test.yml', import.meta.url), join(dir, 'alerts.test.yml'));
      const recorded = panels.flatMap(({ targets, title }) =>
        targets.map(({ expr }, at) => ({
          record: `panel:${title.replace(/[^A-Za-z]+/g, '_')}:${at}`,
          expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:instance|provider)\b/g, '.*'),
        })),
      );
      writeFileSync(join(dir, 'panels.yml'), JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }));
      const promtool = (...args: string[]): string => execFileSync('promtool', args, { cwd: dir, encoding: 'utf8' });
      expect(promtool('check', 'config', 'prometheus.yml')).to.include('15 rules found');
      expect(promtool('check', 'rules', 'panels.yml')).to.include(`${recorded.length} rules found`);
      expect(promtool('test', 'rules', 'alerts.test.yml')).to.include('SUCCESS');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
