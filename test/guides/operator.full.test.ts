import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compilerOrSkip, hasCompiler, needCompiler } from '../plugins/policy/compiler.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/operate.md';
const needsCompiler = 'Policies';

describe('the guide for who operates a server', function () {
  this.timeout(120_000);
  let home: string;
  let walk: Walk;
  before(async function () {
    // Before the server, which would build it in the background.
    if (hasCompiler()) compilerOrSkip(this);
    home = mkdtempSync(join(tmpdir(), 'orb-operator-'));
    walk = beginWalk(guide, { home, url: `http://127.0.0.1:${await freePort()}` });
  });
  after(() => {
    walk?.end();
    end(join(home, 'home'));
    rmSync(home, { recursive: true, force: true });
  });

  for (const heading of headingsOf(guide))
    it(`does what it says under "${heading}"`, async function () {
      if (heading === needsCompiler) needCompiler(this);
      expectTold(heading, await walk.follow(heading));
    });

  it('says something where that is expected', () => {
    expect(headingsOf(guide)).to.include.members(Object.keys(told));
  });
});

const told: Readonly<Record<string, readonly RegExp[]>> = {
  Configure: [/^The configuration is valid: .* 3 providers/m],
  Keys: [/^key_\w+ is revoked$/m],
  Policies: [/^ok test_/m, /quiet_address/],
  'Swap a provider': [/: outbox-a \(/, /: outbox-a → outbox-b, /, /: outbox-b → outbox-a, /],
  'Receive webhooks': [/^dlv_\w+ accepted$/m, /^dlv_\w+ +grafana/m],
  'Health checks and logs': [/^operational/m, /^✓ store: is intact$/m],
  'Backup and restore': [/its log was checked/, /opens a new shard/, /: OK$/m],
  'Signing keys': [/^\S+ +receipt +retired /m, /^\S+ +receipt +active /m],
  Upgrade: [/^\d+\.\d+\.\d+$/m, /^before-upgrade contains/m],
};

/** What the guide says of the commands under a heading is what they do. */
function expectTold(heading: string, printed: string): void {
  for (const pattern of told[heading] ?? []) expect(printed, heading).to.match(pattern);
}

/** Finds a port of loopback that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Ends the server of a home, if one runs. */
function end(home: string): void {
  try {
    process.kill(Number(readFileSync(join(home, 'data/state/lock'), 'utf8').split('\n')[0]), 'SIGKILL');
  } catch {
    // There is none.
  }
}
