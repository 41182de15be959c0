import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installClient, type Installed } from '../built.ts';
import { countedOrb, createCounted, type Counted } from '../vendor.ts';
import { callers, callThroughKills, kills, startServer } from './kills.ts';

// Calls once, under a key that it is given, and says how it ended.
const program = `import { Orb } from 'agent-orb';
const [url, key, token, pin] = process.argv.slice(2);
const orb = new Orb(url, key, { pin: JSON.parse(pin) });
const outcome = await orb.run('${countedOrb}', { token }, { key: token, timeout: 30_000 });
process.stdout.write(outcome.kind);
`;

describe(`the TypeScript client and kill -9 (${kills} times, ${callers} callers)`, function () {
  this.timeout(60_000 + kills * 20_000);
  let installed: Installed;
  let counted: Counted;
  before(async () => {
    installed = await installClient();
  });
  beforeEach(async () => {
    counted = await createCounted();
  });
  afterEach(() => counted?.served.remove());
  after(() => installed?.remove());

  it('of the server: no second effect, no false outcome, and what is unknown is settled', async () => {
    const { key, pin, url } = await startServer(counted);
    const orb = new installed.client.Orb(url, key, { pin });
    await callThroughKills(counted, {
      run: (token) => orb.run(countedOrb, { token }, { key: token, timeout: 30_000 }),
      settle: async (outcome) => (outcome.kind === 'unknown' ? outcome.settle({ timeout: 5000 }) : outcome),
    });
  });

  it('of the callers: who asks again with the same key gets one effect', async () => {
    const { served } = counted;
    const { key, pin, url } = await startServer(counted);
    const file = join(installed.folder, 'caller.mjs');
    writeFileSync(file, program);
    const start = (token: string) =>
      spawn(process.execPath, [file, url, key, token, JSON.stringify(pin)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const endOf = (token: string): Promise<string> =>
      new Promise((resolve) => {
        let said = '';
        const child = start(token);
        child.stdout.on('data', (text: Buffer) => (said += text.toString()));
        child.once('close', () => resolve(said));
      });
    const ends: [string, string][] = [];
    for (let round = 0; round < Math.ceil(kills / callers); round++)
      await Promise.all(
        Array.from({ length: callers }, async (_, name) => {
          const token = `caller-${round}-${name}`;
          const child = start(token);
          const gone = new Promise((resolve) => child.once('close', resolve));
          await new Promise((resolve) => setTimeout(resolve, 80 + Math.random() * 150));
          child.kill('SIGKILL');
          await gone;
          ends.push([token, await endOf(token)]);
        }),
      );
    const effects = counted.effects();
    for (const [token, kind] of ends) expect([kind, effects.get(token)], token).to.deep.equal(['completed', 1]);
    expect(await served.stop()).to.equal(0);
  });
});
