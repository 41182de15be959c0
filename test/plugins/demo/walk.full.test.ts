import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { reachableTiers } from '../../../plugins/ledger/contract.ts';
import { shippedProgram } from '../../helpers/program.ts';

// DEMO_SOAK=1: long enough for an Orb to become gold.
const isLong = process.env['DEMO_SOAK'] === '1';
const days = isLong ? 23 : 12;
const tiersThen = isLong ? reachableTiers : reachableTiers.slice(0, 2);

const notice = 'Demonstration: everything on this server is simulated';

interface Demo {
  readonly url: string;
  readonly console: string;
  readonly admin_key_file: string;
  readonly home: string;
}

// Lists of the API, each with something in it.
const lists: Readonly<Record<string, string>> = {
  '/runs?status=completed': 'runs',
  '/runs?status=failed': 'runs',
  '/runs?status=denied': 'runs',
  '/runs?status=indeterminate': 'runs',
  '/runs?status=queued': 'runs',
  '/receipts': 'receipts',
  '/orbs': 'orbs',
  '/orbisets': 'orbisets',
  '/providers': 'orbs',
  '/swaps': 'swaps',
  '/approvals?state=open': 'approvals',
  '/approvals?state=approved': 'approvals',
  '/approvals?state=refused': 'approvals',
  '/policies': 'policies',
  '/policies/-/decisions': 'decisions',
  '/policies/-/revisions': 'revisions',
  '/incidents?state=resolved': 'incidents',
  '/incidents?state=unresolved': 'incidents',
  '/maintenance': 'windows',
  '/sources': 'sources',
  '/deliveries?state=done': 'deliveries',
  '/deliveries?state=dead': 'deliveries',
  '/marketplace/orbs': 'orbs',
  '/namespaces': 'namespaces',
  '/keys': 'keys',
  '/signing-keys': 'keys',
  '/budgets': 'budgets',
  '/usage': 'usage',
  '/v1/models': 'data',
  '/orbisets/shop/schedules': 'schedules',
  '/orbisets/shop/subscriptions': 'subscriptions',
  '/nodes': 'nodes',
  '/traces': 'spans',
};

const pages = [
  ...['/', '/console', '/console/runs', '/marketplace', '/marketplace/notify.email', '/status.html'],
  ...['/status/history.html', '/verify', '/docs', '/docs/start', '/there-is-no-such-page'],
];

describe('orb demo', function () {
  this.timeout(240_000);
  let child: ChildProcess;
  let demo: Demo;
  let key: string;
  const orb = (...words: readonly string[]) =>
    spawnSync(process.execPath, [shippedProgram, ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ORB_HOME: demo.home, ORB_URL: demo.url, ORB_KEY: key },
    });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  const get = async (path: string, init: RequestInit = {}): Promise<any> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await fetch(demo.url + path, { ...init, headers })).json();
  };
  before(async () => {
    child = started('--days', String(days), '--seed', '7');
    demo = await printed(child);
    key = readFileSync(demo.admin_key_file, 'utf8').trim();
  });
  after(() => child.kill('SIGKILL'));

  for (const [path, member] of Object.entries(lists))
    it(`GET ${path} lists something`, async () => {
      const answer = await get(path);
      expect(answer[member], JSON.stringify(answer).slice(0, 300)).to.be.an('array').that.is.not.empty;
    });

  for (const path of pages)
    it(`${path} says that all is simulated`, async () => {
      const answer = await fetch(demo.url + path, { headers: { accept: 'text/html' } });
      expect(await answer.text()).to.include(notice);
    });

  it('has Orbs of each tier that can be reached, and a suspended one, with their certificates', async () => {
    const { orbs } = await get('/marketplace/orbs?limit=100');
    const tiers = new Set(orbs.map((one: { certification_tier: string }) => one.certification_tier));
    expect([...tiers].sort()).to.deep.equal([...tiersThen].sort());
    expect(orbs.filter((one: { standing: string }) => one.standing === 'suspended')).to.have.length(1);
    for (const { orb_id, certification_tier: tier } of orbs.filter(
      (one: { certification_tier: string }) => one.certification_tier !== 'none',
    )) {
      const certificate = await get(`/reputation/${orb_id}/certificate`);
      expect(certificate, orb_id).to.deep.include({ certification_tier: tier, status: 'valid' });
      const body = JSON.stringify(certificate.credential);
      const verified = await get('/certificates/verify', { method: 'POST', body });
      expect(verified.overall, JSON.stringify(verified)).to.equal('VERIFIED');
    }
  });

  it('has a log that verifies, and receipts that verify and say that they are from a demonstration', async () => {
    const log = orb('log', 'fsck');
    expect(log.status, log.stdout + log.stderr).to.equal(0);
    expect(log.stdout).to.match(/^ins_\w{10}DEM0DEM0DEM0DEM0\.orb\/receipts\/0, \d{3,} entries: OK$/m);
    const { receipts } = await get('/receipts?limit=3');
    for (const { receipt_id } of receipts) {
      const file = join(demo.home, `${receipt_id}.json`);
      writeFileSync(file, JSON.stringify(await get(`/receipts/${receipt_id}`)));
      const verified = orb('receipts', 'verify', file);
      expect(verified.status, verified.stdout + verified.stderr).to.equal(0);
      expect(verified.stdout)
        .to.match(/^VERIFIED$/m)
        .and.include('This receipt is from a demonstration');
      expect(verified.stdout).to.match(/^ {2}installation {2}ins_\w{10}DEM0DEM0DEM0DEM0$/m);
    }
  });

  it('has a server that was there all the time', async () => {
    const { uptime_30d_pct, services } = await get('/status');
    expect(uptime_30d_pct).to.be.within(99, 100);
    expect(Object.keys(services)).to.have.length(4);
  });

  it('opens a console by its link, once', async () => {
    const link = new URL(demo.console).hash.replace('#link=', '');
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'orb-console': '1' };
    const body = JSON.stringify({ link });
    const answer = await fetch(`${demo.url}/console/session/link`, { method: 'POST', headers, body });
    expect(answer.status, await answer.text()).to.equal(200);
  });

  it('ends by a signal and leaves nothing', async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).to.equal(0);
    expect(existsSync(demo.home)).to.equal(false);
  });
});

describe('orb demo, at the begin of a month', function () {
  this.timeout(60_000);
  let child: ChildProcess;
  after(async () => {
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  it('lists budgets, though no call of the history is in their present windows', async () => {
    child = started('--days', '2', '--at', '2026-03-01T00:20:00Z');
    const { admin_key_file, url } = await printed(child);
    const headers = { authorization: `Bearer ${readFileSync(admin_key_file, 'utf8').trim()}` };
    const { budgets } = (await (await fetch(`${url}/budgets`, { headers })).json()) as { budgets: { scope: string }[] };
    expect(budgets.map(({ scope }) => scope).sort()).to.deep.equal(['key', 'tenant']);
  });
});

describe('orb demo, called for a home', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'orb-test-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('refuses one that is not empty, and leaves it as it is', () => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/platform.json'), '{}');
    const { status, stderr } = spawnSync(process.execPath, [shippedProgram, '--home', folder, 'demo'], {
      encoding: 'utf8',
    });
    expect(status).to.equal(78);
    expect(stderr).to.include('is not empty, and a demonstration never uses the home of a server');
    expect(readdirSync(folder, { recursive: true })).to.have.members(['data', 'data/platform.json']);
  });

  for (const [option, value] of [
    ['--days', '0'],
    ['--days', '61'],
    ['--seed', 'x'],
    ['--port', '70000'],
  ])
    it(`refuses ${option} ${value}`, () => {
      const words = [shippedProgram, '--home', folder, 'demo', option ?? '', value ?? ''];
      const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
      expect([status, readdirSync(folder)], stderr).to.deep.equal([64, []]);
    });
});

function started(...options: readonly string[]): ChildProcess {
  return spawn(process.execPath, [shippedProgram, 'demo', '--json', ...options], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

// Reads what the command prints when it is ready.
function printed(child: ChildProcess): Promise<Demo> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString();
      if (text.trimEnd().endsWith('}')) resolve(JSON.parse(text) as Demo);
    });
    child.once('exit', (code) => reject(new Error(`the demonstration ended with ${String(code)}`)));
  });
}
