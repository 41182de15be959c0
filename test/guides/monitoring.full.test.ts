import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { guideBlocks } from '../helpers/guide.ts';
import { createServed, type Served } from '../helpers/served.ts';
import { leaveOut } from '../helpers/needs.ts';

const page = 'plugins/docs/pages/operate/monitoring.md';
const block = (language: string): string => guideBlocks(page).find((one) => one.language === language)?.code ?? '';

describe('the page on Prometheus', function () {
  this.timeout(60_000);
  let served: Served;
  before(() => {
    served = createServed();
  });
  after(async () => {
    await served.stop();
    await served.remove();
  });

  it('makes a key that reads the metrics, and nothing else', async () => {
    const { url } = await served.start();
    const [command = '', ...more] = block('sh').trim().split('\n');
    expect([/^npx orb /.test(command), more]).to.deep.equal([true, []]);
    const made = served.orb(...command.split(' ').slice(2), '--json');
    const { key } = JSON.parse(made.stdout) as { readonly key: string };
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect(await statusOf('/metrics')).to.equal(200);
    for (const path of ['/runs', '/receipts', '/keys', '/stats']) expect(await statusOf(path), path).to.equal(403);
  });

  it('shows a scrape configuration that Prometheus takes', function () {
    const dir = mkdtempSync(join(tmpdir(), 'orb-scrape-'));
    writeFileSync(join(dir, 'prometheus.yml'), block('yaml'));
    writeFileSync(join(dir, 'orb-metrics.key'), 'orb_live_x');
    const { error, status, stderr } = spawnSync('promtool', ['check', 'config', 'prometheus.yml'], { cwd: dir });
    rmSync(dir, { recursive: true });
    if (error !== undefined) leaveOut(this, 'prometheus');
    expect(status, String(stderr)).to.equal(0);
  });
});
