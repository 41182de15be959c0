import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';

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
  '/runs?status=held': 'runs',
  '/receipts': 'receipts',
  '/receipts?kind=swap': 'receipts',
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
  '/maintenance': 'maintenance',
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
  '/traces': 'traces',
};

const pages = ['/', '/console', '/console/runs', '/marketplace', '/marketplace/notify.email', '/status.html'];
const otherPages = ['/status/history.html', '/verify', '/docs', '/docs/start', '/there-is-no-such-page'];

describe('orb demo', function () {
  this.timeout(180_000);
  let child: ChildProcess;
  let demo: Demo;
  let key: string;
  const orb = (...words: readonly string[]) =>
    spawnSync(process.execPath, [shippedProgram, ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ORB_HOME: demo.home, ORB_URL: demo.url, ORB_KEY: key },
    });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  const get = async (path: string): Promise<any> =>
    (await fetch(demo.url + path, { headers: { authorization: `Bearer ${key}` } })).json();
  before(async () => {
    child = spawn(process.execPath, [shippedProgram, 'demo', '--json', '--days', '22'], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    demo = await printed(child);
    key = orbKey(demo);
  });
  after(() => child.kill('SIGKILL'));

  for (const [path, member] of Object.entries(lists))
    it(`GET ${path} lists something`, async () => {
      const answer = await get(path);
      expect(answer[member], JSON.stringify(answer)).to.be.an('array').that.is.not.empty;
    });

  for (const path of [...pages, ...otherPages])
    it(`${path} says that all is simulated`, async () => {
      const answer = await fetch(demo.url + path, { headers: { accept: 'text/html' } });
      expect(await answer.text()).to.include(notice);
    });
});
