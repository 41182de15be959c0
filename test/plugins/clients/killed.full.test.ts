import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../../plugins/clients/typescript/src/surface.ts';
import { until } from '../../helpers/until.ts';
import { installClient, type Installed } from './built.ts';
import { faultsOf, kindsOf, type Call } from './judged.ts';
import { countedOrb, createCounted, type Counted } from './vendor.ts';

const kills = Number(process.env['CLIENT_KILLS'] ?? 2);
const callers = 8;

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
    const { served, url } = counted;
    const { key } = await served.start();
    const pin = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: [] };
    const orb = new installed.client.Orb(url, key, { pin });
    const calls: Call[] = [];
    let open = true;
    const caller = async (name: number): Promise<void> => {
      for (let at = 0; open; at++) {
        const token = `server-${name}-${at}`;
        calls.push({ token, outcome: await orb.run(countedOrb, { token }, { key: token, timeout: 30_000 }) });
      }
    };
    const all = Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
    for (let kill = 0; kill < kills; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 300));
      await served.kill();
      await served.start();
    }
    await until(
      () => kindsOf(calls)['completed'] ?? 0,
      (completed) => completed > callers,
      'a call of each caller',
    );
    open = false;
    await all;
    expect(faultsOf(calls, counted.effects())).to.deep.equal([]);
    for (const { outcome, token } of calls) {
      if (outcome.kind === 'unverified') {
        const again = await orb.run(countedOrb, { token }, { key: token });
        expect([again.kind, counted.effects().get(token)], token).to.deep.equal(['completed', 1]);
      }
      if (outcome.kind !== 'unknown') continue;
      const settled: Outcome = await outcome.settle({ timeout: 5000 });
      expect(faultsOf([{ token, outcome: settled }], counted.effects())).to.deep.equal([]);
      // The provider cannot be asked, so only a person could know more of a run that has begun.
      if (settled.kind === 'unknown') expect(settled.runId, token).to.match(/^run_/);
    }
    console.log(`      ${calls.length} calls: ${JSON.stringify(kindsOf(calls))}`);
    expect(await served.stop()).to.equal(0);
  });

  it('of the callers: who asks again with the same key gets one effect', async () => {
    const { served, url } = counted;
    const { key } = await served.start();
    const pin = await (await fetch(`${url}/.well-known/jwks.json`)).text();
    const file = join(installed.folder, 'caller.mjs');
    writeFileSync(file, program);
    const start = (token: string) =>
      spawn(process.execPath, [file, url, key, token, pin], { stdio: ['ignore', 'pipe', 'inherit'] });
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
