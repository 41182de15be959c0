import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { send } from './helpers/http.ts';
import { createServed, type Served } from './helpers/served.ts';

const exitConfig = 78;

describe('a backup', function () {
  this.timeout(180_000);
  let served: Served;
  let at: { url: string; key: string };
  const receipts: string[] = [];
  const origins = new Set<string>();

  /** Runs an Orb of the store ten times and keeps their receipts as files. */
  async function tenRuns(): Promise<void> {
    for (let run = 0; run < 10; run += 1) {
      const { json, text } = await send(at.url, '/orbisets/default/execute', {
        key: at.key,
        json: { orb_id: 'team.echo@1.0.0', inputs: { text: `run ${run}` } },
      });
      const id = (json['receipt'] as { receipt_id?: string } | undefined)?.receipt_id ?? text;
      const receipt = await send(at.url, `/receipts/${id}`, { key: at.key });
      origins.add((receipt.json['proof'] as { origin: string }).origin);
      const file = join(served.home, `${receipts.length}.json`);
      writeFileSync(file, receipt.text);
      receipts.push(file);
    }
  }

  before(async () => {
    served = createServed();
    at = await served.start();
    const { manifest } = (await send(at.url, '/orbs/demo.echo@1.0.0', { key: at.key })).json as { manifest: object };
    const json = { ...manifest, orb_id: 'team.echo@1.0.0' };
    await send(at.url, '/orbs/team.echo@1.0.0', { method: 'PUT', key: at.key, json });
  });
  after(() => served.remove());

  it('is taken while the server serves, closed to others, checked, and without the master key', async () => {
    await tenRuns();
    const { status, stdout, stderr } = served.orb('backup', 'copy');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.contain('keep master.key');
    const folder = join(served.home, 'copy');
    expect(readdirSync(folder).sort()).to.deep.equal(['backup.json', 'jwks.json', 'store.db']);
    expect(statSync(folder).mode & 0o077).to.equal(0);
  });

  it('never writes over a folder, and refuses one without a store', () => {
    expect(served.orb('backup', 'copy').status).to.equal(exitConfig);
    mkdirSync(join(served.home, 'empty'));
    expect(served.orb('restore', 'empty').status).to.equal(exitConfig);
  });

  it('restores to a log that goes on in a new shard: two receipts never share a place, and all verify', async () => {
    for (let round = 0; round < 2; round += 1) {
      await tenRuns();
      expect(served.orb('restore', 'copy').stderr).to.contain('in use');
      await served.stop();
      expect(served.orb('restore', 'copy').stderr, 'a store is there').to.contain('--replace');
      const { status, stderr } = served.orb('restore', 'copy', '--replace');
      expect(status, stderr).to.equal(0);
      at = await served.start();
      await tenRuns();
    }
    expect(origins.size, 'the first shard and one for each restoring').to.equal(3);
    const places = receipts.map((file) => {
      const { proof } = JSON.parse(readFileSync(file, 'utf8')) as { proof: { origin: string; index: number } };
      return `${proof.origin} ${proof.index}`;
    });
    expect(new Set(places).size).to.equal(receipts.length);
    const checked = served.orb('log', 'fsck');
    expect(checked.status, checked.stdout + checked.stderr).to.equal(0);
    // What was signed between a backup and its restoring is verified with the keys that were put aside.
    const aside = readdirSync(served.stateDir).filter((name) => name.startsWith('before-'));
    const pinned = [[], ...aside.map((name) => ['--keys', join(served.stateDir, name, 'jwks.json')])];
    expect(aside).to.have.length(2);
    const verifies = (file: string): boolean =>
      pinned.some((keys) => served.orb('receipts', 'verify', file, ...keys).status === 0);
    // The last of each ten: its place in the chain proves those before it.
    const lasts = receipts.filter((_, index) => index % 10 === 9);
    expect(lasts.filter((file) => !verifies(file))).to.deep.equal([]);
    for (const file of [lasts[0] ?? '', lasts[4] ?? ''])
      expect(served.orb('receipts', 'verify', file).status, file).to.equal(0);
  });

  it('is taken and restored, and the store is found sound, after a stolen key was revoked from before now', async () => {
    const { keys } = (await send(at.url, '/signing-keys', { key: at.key })).json as {
      keys: { kid: string; role: string; status: string }[];
    };
    const kid = keys.find(({ role, status }) => role === 'receipt' && status === 'active')?.kid ?? '';
    const { proof } = JSON.parse(readFileSync(receipts.at(-5) ?? '', 'utf8')) as {
      proof: { origin: string; index: number };
    };
    const from = { origin: proof.origin, index: proof.index };
    const json = { reason: 'stolen', from };
    expect((await send(at.url, `/signing-keys/${kid}/revoke`, { key: at.key, json })).status).to.equal(200);
    const taken = served.orb('backup', 'after');
    expect(taken.status, taken.stderr).to.equal(0);
    await served.stop();
    const restored = served.orb('restore', 'after', '--replace');
    expect(restored.status, restored.stderr).to.equal(0);
    at = await served.start();
    expect(served.orb('log', 'fsck').status).to.equal(4);
    const { findings } = JSON.parse(served.orb('doctor', '--json').stdout) as {
      findings: { name: string; state: string }[];
    };
    expect(findings.find(({ name }) => name === 'log')?.state).to.equal('ok');
  });

  it('that was changed restores nothing', async () => {
    await served.stop();
    appendFileSync(join(served.home, 'copy', 'store.db'), 'x');
    const before = readdirSync(served.stateDir).sort();
    const { status, stderr } = served.orb('restore', 'copy', '--replace');
    expect([status, stderr.includes('was changed since the backup')]).to.deep.equal([exitConfig, true]);
    expect(readdirSync(served.stateDir).sort()).to.deep.equal(before);
  });
});
