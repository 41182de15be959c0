import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { guideBlocks, type Block } from '../helpers/guide.ts';
import { postgresFolder } from '../helpers/postgres.ts';
import { usePostgres } from '../helpers/use-postgres.ts';
import { openTerminal, type Printed, type Terminal } from './terminal.ts';
import { leaveOut } from '../helpers/needs.ts';

const page = 'plugins/docs/pages/operate/nodes.md';
const haproxy = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));

// What the test does in place of the block: it has a PostgreSQL server of its own, and installs nothing.
const leftOut = 'Install';

describe('the page on several servers', function () {
  this.timeout(180_000);
  const server = usePostgres();
  let home: string;
  let terminal: Terminal;
  let blocks: readonly Block[];
  before(async function () {
    if (haproxy === undefined) leaveOut(this, 'haproxy');
    home = mkdtempSync(join(tmpdir(), 'orb-nodes-guide-'));
    const ports = await Promise.all([8080, 8081, 8082, 8083].map(async (port) => [port, await freePort()] as const));
    blocks = guideBlocks(page).map((block) => ({
      ...block,
      code: ports
        .reduce((code, [port, free]) => code.replaceAll(String(port), String(free)), block.code)
        .replace(
          /postgres:\/\/orbs:change-me@127\.0\.0\.1:5432\/orbs/,
          `postgres:///orbs?host=${server.folder}&user=orbs`,
        ),
    }));
    terminal = openTerminal(home);
    // `sudo -u postgres …` is the administrator of the server of the test.
    await terminal.run(
      `export PATH="$PATH:${postgresFolder()}:${dirname(haproxy)}"
       sudo() { shift 2; PGHOST=${server.folder} PGUSER=orb PGDATABASE=postgres "$@"; }`,
    );
  });
  after(async () => {
    for (const file of ['haproxy.pid', ...['a', 'b', 'c'].map((name) => `${name}/data/state/lock`)]) end(home, file);
    terminal?.close();
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });

  const headings = [...new Set(guideBlocks(page).map(({ heading }) => heading))].filter((name) => name !== leftOut);
  for (const heading of headings)
    it(`does what it says under "${heading}"`, async () => {
      let printed: Printed = { stdout: '', stderr: '' };
      for (const { file, language, code } of blocks.filter((block) => block.heading === heading)) {
        if (file !== undefined) {
          mkdirSync(dirname(join(home, file)), { recursive: true });
          writeFileSync(join(home, file), code);
        } else if (language === 'sh') printed = await terminal.run(code);
        else expect(plain(printed.stdout)).to.equal(plain(code));
      }
      expect(printed.stdout).to.match(told[heading] ?? /^/);
    });

  it('says something where that is expected', () => {
    expect(headings).to.include.members(Object.keys(told));
  });
});

const told: Readonly<Record<string, RegExp>> = {
  'Start three servers': /^a\b.*\n(.*\n)*^b\b.*\n(.*\n)*^c\b/m,
  'Remove a server': /^(completed\n){8}.*: OK$/m,
};

const plain = (text: string): string => text.trim().replace(/rec_\w+/g, 'rec_…');

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const { port } = listening.address() as AddressInfo;
  await new Promise((resolve) => listening.close(resolve));
  return port;
}

/** Ends the process whose number a file begins with, if it still runs. */
function end(home: string | undefined, file: string): void {
  try {
    process.kill(Number(readFileSync(join(home ?? '', file), 'utf8').split('\n')[0]), 'SIGKILL');
  } catch {
    // There is none.
  }
}
