import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { shippedProgram } from '../../helpers/program.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { startMarket, type Market } from './market.ts';

const orbId = 'notify.email@1.0.0';
const script = fileURLToPath(new URL('outsider.py', import.meta.url));
const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

describe("an operator's path from a fresh installation to bronze", function () {
  this.timeout(120_000);
  let smtp: SmtpReceiver;
  let market: Market;
  const callers: string[] = [];
  before(async () => {
    smtp = await startSmtp({ tls: 'none' });
    const config = { host: '127.0.0.1', port: smtp.port, starttls: 'never' };
    market = await startMarket({
      platform: { providers: { 'smtp-main': { adapter: 'email/smtp', config }, outbox: { adapter: 'email/outbox' } } },
    });
  });
  after(async () => {
    await market.platform.stop();
    await smtp.close();
  });

  const run = async (key?: string) => {
    const { status, body } = await market.platform.call(
      'POST',
      '/orbisets/default/execute',
      { orb_id: orbId, inputs: email },
      key,
    );
    expect([status, body.status]).to.deep.equal([200, 'completed']);
    return body.receipt as { readonly receipt_id: string; readonly trust_score: number };
  };
  const day = async (runs: number): Promise<void> => {
    for (const key of callers) for (let i = 0; i < runs; i++) await run(key);
    await market.endDay();
  };
  const shown = async () => {
    await market.probe.reputation().settled();
    return (await market.profile(orbId)).body;
  };

  it('begins unscored, and a run of the owner of the namespace does not count', async () => {
    expect((await run()).trust_score).to.equal(80);
    const { status, reputation_score, evidence } = await shown();
    expect([status, reputation_score]).to.deep.equal(['unscored', null]);
    expect(evidence.excluded).to.deep.equal({ self: 1 });
    expect(evidence.runs_counted).to.equal(0);
    const { next_tier } = market.probe.reputation().get(orbId);
    expect(next_tier?.unmet.map(({ gate }) => gate)).to.include.members([
      'score',
      'effective_callers',
      'manifest_signed',
    ]);
  });

  it('nor does a run by a test key', async () => {
    const key = await market.platform.key({ name: 'trial', scopes: ['orbs:execute'], mode: 'test' });
    await run(key);
    expect((await shown()).evidence.excluded).to.deep.equal({ self: 1, sandbox: 1 });
  });

  it('a signed manifest lifts a receipt from 80 to 86', async () => {
    callers.push(
      await market.platform.key({ name: 'billing', scopes: ['orbs:execute'] }),
      await market.platform.key({ name: 'support', scopes: ['orbs:execute'] }),
    );
    expect((await run(callers[0])).trust_score).to.equal(80);
    const keyFile = join(market.platform.home, 'notify.key');
    const args = ['orbs', 'sign', orbId, '--key', keyFile, '--json'];
    const signed = spawnSync(process.execPath, [shippedProgram, ...args], {
      cwd: market.platform.home,
      encoding: 'utf8',
    });
    expect(signed.status, signed.stderr).to.equal(0);
    const { manifest_key } = JSON.parse(signed.stdout) as { manifest_key: object };
    const [before] = (await market.platform.call('GET', '/namespaces')).body.namespaces.filter(
      ({ namespace }: { namespace: string }) => namespace === 'notify',
    );
    const granted = { namespace: 'notify', owner: before.owner, manifest_key };
    expect((await market.platform.call('POST', '/namespaces', granted)).status).to.equal(200);
    const published = await market.platform.call('POST', '/marketplace/orbs/publish', { orb_id: orbId });
    expect(published.status, JSON.stringify(published.body)).to.equal(201);
    expect((await run(callers[1])).trust_score).to.equal(86);
  });

  it('the first counted runs give a provisional score and no tier', async () => {
    const { status, reputation_score, certification_tier, components, next_tier } = await shown();
    expect([status, certification_tier]).to.deep.equal(['provisional', 'none']);
    expect(reputation_score).to.be.within(1, 59);
    expect(components.map(({ name }: { name: string }) => name)).to.have.length(7);
    expect(next_tier.tier).to.equal('bronze');
    expect(next_tier.unmet.map(({ gate }: { gate: string }) => gate)).to.include.members(['score', 'effective_runs']);
  });

  it('two callers with eight runs a day are bronze at the third snapshot', async () => {
    const tiers: string[] = [];
    for (let at = 0; at < 3; at++) {
      await day(8);
      tiers.push(market.probe.reputation().get(orbId).tier);
    }
    expect(tiers).to.deep.equal(['none', 'none', 'bronze']);
    const { certification_tier, status, reputation_score, tier_since } = await shown();
    expect([certification_tier, status, tier_since]).to.deep.equal(['bronze', 'scored', '2026-01-03']);
    expect(reputation_score).to.be.within(60, 75);
    expect((await run(callers[0])).trust_score).to.equal(90);
  });

  it('a suspension shows at once: tier none, a receipt of at most 19, and the tier returns with its end', async () => {
    const path = `/reputation/${encodeURIComponent(orbId)}`;
    expect((await market.platform.call('POST', `${path}/suspend`, {})).status).to.equal(422);
    const suspended = await market.platform.call('POST', `${path}/suspend`, { reason: 'a complaint' });
    expect(suspended.body).to.include({ orb_id: orbId, state: 'suspended' });
    expect((await market.platform.call('POST', `${path}/suspend`, { reason: 'again' })).status).to.equal(409);
    const receipt = await run(callers[0]);
    expect(receipt.trust_score).to.equal(19);
    const { body } = await market.platform.call('GET', `/receipts/${receipt.receipt_id}`);
    expect(body.statement.predicate.facts.orb).to.include({ tier: 'none', state: 'suspended' });
    expect(await shown()).to.include({ status: 'suspended', certification_tier: 'none', suspended_tier: 'bronze' });
    const attested = await market.platform.call('GET', `/receipts/${suspended.body.receipt_id}`);
    expect(attested.body.statement.predicate.facts).to.include({ change: 'suspended', reason: 'a complaint' });
    const lifted = await market.platform.call('POST', `${path}/reinstate`, { reason: 'it was nothing' });
    expect(lifted.body).to.include({ state: 'active' });
    expect(await shown()).to.include({ status: 'scored', certification_tier: 'bronze' });
    expect((await run(callers[0])).trust_score).to.equal(90);
  });

  it('only the scope reputation:suspend suspends', async () => {
    const key = await market.platform.key({ name: 'reader', scopes: ['receipts:read'] });
    const path = `/reputation/${encodeURIComponent(orbId)}/suspend`;
    expect((await market.platform.call('POST', path, { reason: 'x' }, key)).status).to.equal(403);
    expect((await market.platform.call('POST', path, { reason: 'x' }, null)).status).to.equal(401);
  });

  it('a restart after missed days makes their snapshots, oldest first, and keeps the standing', async () => {
    const { home } = market.platform;
    await market.platform.stop({ keep: true });
    const begun = performance.now();
    let later = 0;
    const monotonic = (): number => performance.now() + later;
    const clock = { now: () => Date.UTC(2026, 0, 8, 12) + Math.floor(monotonic() - begun), monotonic };
    market = await startMarket({ home, clock });
    // Until then the clock may be wrong.
    later = 600_000;
    await market.until('the snapshot of 2026-01-07', () => market.probe.reputation().snapshot()?.day === '2026-01-07');
    const { body } = await market.platform.call('GET', `/reputation/${encodeURIComponent(orbId)}/history`);
    expect(body.days.map(({ day: at }: { day: string }) => at)).to.deep.equal(
      [1, 2, 3, 4, 5, 6, 7].map((at) => `2026-01-0${at}`),
    );
    expect(body.events.map(({ change }: { change: string }) => change)).to.deep.equal([
      'promoted',
      'suspended',
      'restored',
    ]);
    expect(market.probe.reputation().get(orbId)).to.include({ tier: 'bronze', manifest_signed: true });
  });

  it('the ledger replays from the running server, and from an export, to the same digests', async () => {
    const { home, url, adminKey } = market.platform;
    const env = { PATH: process.env['PATH'] ?? '', ORB_URL: url, ORB_KEY: adminKey };
    const orb = async (...args: string[]) => {
      const child = spawn(process.execPath, [shippedProgram, ...args], { cwd: home, env });
      const out = text(child.stdout);
      const [status] = (await once(child, 'close')) as [number | null];
      return { status, out: await out };
    };
    const replayed = await orb('ledger', 'replay', '--json');
    expect(replayed.status, replayed.out).to.equal(0);
    const report = JSON.parse(replayed.out) as { snapshots: readonly { day: string; digest: string }[] };
    expect(report.snapshots).to.have.length(7);
    expect(report.snapshots.at(-1)?.digest).to.equal(market.probe.reputation().snapshot()?.digest);
    expect((await orb('ledger', 'export', 'saved')).status).to.equal(0);
    expect(readdirSync(join(home, 'saved')).sort()).to.deep.equal([
      'checkpoints',
      'entries.ndjson',
      'facts.ndjson',
      'ledger.json',
      'scoring.json',
      'snapshots.json',
    ]);
    expect((await orb('ledger', 'replay', 'saved')).status).to.equal(0);
    const facts = join(home, 'saved', 'entries.ndjson');
    const lines = readFileSync(facts, 'utf8').split('\n');
    writeFileSync(facts, lines.filter((_, at) => at !== 12).join('\n'));
    expect((await orb('ledger', 'replay', 'saved')).status).to.equal(1);
    writeFileSync(facts, lines.join('\n'));
    if (spawnSync('python3', ['--version']).status !== 0) return console.log('      python3 is not here');
    const outsider = spawnSync('python3', [script, join(home, 'saved'), join(home, 'data/state/jwks.json')], {
      encoding: 'utf8',
    });
    expect([outsider.status, outsider.stderr]).to.deep.equal([0, '']);
  });

  it('the command shows the score with what makes it', async () => {
    const { home, url, adminKey } = market.platform;
    const env = { PATH: process.env['PATH'] ?? '', ORB_URL: url, ORB_KEY: adminKey };
    const child = spawn(process.execPath, [shippedProgram, 'reputation', 'show', orbId], {
      ...{ cwd: home, env },
    });
    const shownText = await text(child.stdout);
    expect(shownText).to.match(/^notify\.email@1\.0\.0: \d+(\.\d)?, scored, tier bronze$/m);
    expect(shownText)
      .to.match(/^ {2}reliability .* of 35 /m)
      .and.match(/^next: silver$/m);
  });
});
