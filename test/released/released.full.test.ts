import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeBase64 } from '../../plugins/receipts/format/base64.ts';
import { parseCheckpoint, parseNote } from '../../plugins/receipts/log/pure/note.ts';
import { verifyConsistency } from '../../plugins/receipts/log/pure/verify-proof.ts';
import { verifyCommand } from '../../plugins/ledger/certificate/commands/verify.ts';
import { atTime, runCommand } from '../helpers/command.ts';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../helpers/smtp.ts';
import { until } from '../helpers/until.ts';
import { clock, madeAt, openHome, orb, type Json } from './home.ts';

const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
const emailOrb = 'notify.email@1.0.0';
const orbPath = `/reputation/${encodeURIComponent(emailOrb)}`;

/** Expects all that was there then; what a later release adds beside it is its own affair. */
function expectStill(now: unknown, then: unknown, at: string): void {
  if (Array.isArray(then)) {
    expect(now, at).to.be.an('array').with.lengthOf(then.length);
    then.forEach((item, index) => expectStill((now as unknown[])[index], item, `${at}/${index}`));
  } else if (typeof then === 'object' && then !== null) {
    for (const [name, value] of Object.entries(then)) expectStill((now as Json)[name], value, `${at}/${name}`);
  } else {
    expect(now, at).to.deep.equal(then);
  }
}

/** What of a stored provider does not depend on the time. */
const nameOf = ({ name, adapter, origin }: Json): Json => ({ name, adapter, origin });
/** What of a schedule does not depend on the time. */
const lasting = ({ schedule_id, orb_id, cron, timezone }: Json): Json => ({ schedule_id, orb_id, cron, timezone });

for (const version of ['0.1.0', '0.2.0']) {
  describe(`a state dir of release ${version}`, function () {
    this.timeout(180_000);
    const { home, saved, json } = openHome(version);
    const keys = json('callers') as Record<'billing' | 'support' | 'trial' | 'revoked', string>;
    let smtp: SmtpReceiver;
    let platform: TestPlatform;
    const get = async (path: string) => (await platform.call('GET', path)).body;

    const start = async (folder: string): Promise<TestPlatform> => {
      const platformFile = JSON.parse(readFileSync(join(folder, 'data/platform.json'), 'utf8'));
      platformFile.providers['smtp-main'].config.port = smtp.port;
      return startPlatform({
        ...{ home: folder, platform: platformFile, clock },
        env: { ORB_PUBLIC_URL: 'https://orb.example' },
      });
    };

    before(async () => {
      smtp = await startSmtp({ tls: 'none' });
      platform = await start(home);
    });
    after(async () => {
      await platform.stop();
      await smtp.close();
    });

    it('serves every receipt with the bytes that were signed, and each verifies', async () => {
      const then = Object.entries(json('receipts') as Record<string, { envelope: unknown; trust_score?: number }>);
      expect(then).to.have.length.above(80);
      for (const [id, { envelope, trust_score }] of then) {
        const now = await get(`/receipts/${id}`);
        expect(now.envelope, id).to.deep.equal(envelope);
        expect([now.signature_valid, now.trust_score], id).to.deep.equal([true, trust_score]);
      }
    });

    it('serves every run as it was', async () => {
      for (const [id, run] of Object.entries(json('runs'))) expectStill(await get(`/runs/${id}`), run, id);
    });

    for (const [name, path] of [
      ['swaps', '/swaps?limit=100'],
      ['deliveries', '/deliveries?limit=100'],
      ['sources', '/sources'],
      ['signing-keys', '/signing-keys'],
      ['history', `${orbPath}/history`],
    ] as const) {
      it(`answers ${path} as then`, async () => expectStill(await get(path), json(name), name));
    }

    if (version !== '0.1.0')
      it('keeps its stored provider, the order of standbys and the schedule', async () => {
        expectStill(await get('/providers/echo-kept'), nameOf(json('kept-provider')), 'the provider');
        expectStill(await get('/providers/demo.echo%401.0.0/order'), json('order'), 'the order');
        const [now, then] = [await get('/orbisets/default/schedules'), json('schedules')] as { schedules: Json[] }[];
        expect(now?.schedules.map(lasting)).to.deep.equal(then?.schedules.map(lasting));
      });

    it('answers /namespaces as then, beside those of Orbs that came later', async () => {
      const then = json('namespaces') as { namespaces: readonly { namespace: string }[] };
      const now: typeof then = await get('/namespaces');
      const names = new Set(then.namespaces.map(({ namespace }) => namespace));
      const kept = now.namespaces.filter(({ namespace }) => names.has(namespace));
      expectStill({ ...now, namespaces: kept }, then, 'namespaces');
    });

    it('serves its incidents, each with its receipt', async () => {
      const { incidents } = json('incidents') as { incidents: readonly { incident_id: string }[] };
      expect(incidents).to.have.length(2);
      for (const incident of incidents)
        expectStill(await get(`/incidents/${incident.incident_id}`), incident, incident.incident_id);
    });

    it('keeps tier and certificate, which verifies here and offline', async () => {
      expect((await get(orbPath)).certification_tier).to.equal('bronze');
      const then = json('certificate');
      await until(
        () => get(`${orbPath}/certificate`),
        ({ certificate_id }) => certificate_id === then['certificate_id'],
        'the certificate',
      );
      const shown = String(await get(`/certificates/${String(then['certificate_id'])}`));
      expect(JSON.parse(shown)).to.deep.equal(then['credential']);
      const statusList = [saved('status-list-1.json'), saved('status-list-2.json')];
      const call = { options: { statusList } };
      const args = [saved('certificate.json')];
      const stateDir = join(home, 'data/state');
      const { exit, text } = await atTime(madeAt, () => runCommand(verifyCommand, stateDir, args, call));
      expect([exit, text]).to.deep.equal([0, text]);
    });

    it('knows its keys: who may call, and who was shut out', async () => {
      const then = (json('keys')['keys'] as readonly Json[]).map(({ last_used_at: _, ...key }) => key);
      expectStill((await get('/keys')).keys, then, 'keys');
      expect((await platform.call('GET', '/receipts', undefined, keys.billing)).status).to.equal(200);
      expect((await platform.call('GET', '/receipts', undefined, keys.revoked)).status).to.equal(401);
    });

    it('answers a repeated call from what it stored, and sends nothing', async () => {
      const response = await fetch(`${platform.url}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys.billing}`,
          'content-type': 'application/json',
          'idempotency-key': 'released-email',
        },
        body: JSON.stringify({ orb_id: emailOrb, inputs: email }),
      });
      expect(response.headers.get('idempotent-replayed')).to.equal('true');
      expectStill(await response.json(), json('repeated'), 'the answer');
      expect(smtp.messages).to.have.length(0);
    });

    it('keeps the binding of its last swap, and resolves what was left open', async () => {
      const { active_provider, generation } = await get(`/providers/${encodeURIComponent(emailOrb)}/status`);
      expect(active_provider).to.equal('outbox');
      expect(generation).to.be.above((json('provider') as { generation: number }).generation);
      const { open } = json('indeterminate');
      const { status, body } = await platform.call('POST', `/runs/${String(open)}/resolve`, { outcome: 'not_sent' });
      expect(status, JSON.stringify(body)).to.equal(200);
    });

    it('goes on: the next run stands in the same log, which grew from the old checkpoint', async () => {
      const body = { orb_id: emailOrb, inputs: email };
      const run = await platform.call('POST', '/orbisets/default/execute', body, keys.support);
      expect(run.status, JSON.stringify(run.body)).to.equal(200);
      const { proof } = await get(`/receipts/${run.body.receipt.receipt_id}`);
      const old = parseCheckpoint(parseNote(readFileSync(saved('checkpoint-1'), 'utf8'))?.text ?? '');
      const now = parseCheckpoint(
        parseNote((await platform.call('GET', '/log/1/checkpoint')).body)?.text ?? expect.fail('no checkpoint'),
      );
      if (old === undefined || now === undefined) throw new Error('a checkpoint does not parse');
      expect([proof.origin, now.origin]).to.deep.equal([old.origin, old.origin]);
      expect(Number(now.size)).to.be.above(Number(old.size));
      const { hashes } = await get(`/log/1/proof/consistency?from=${old.size}&to=${now.size}`);
      const bytes = (hashes as string[]).map((hash) => decodeBase64(hash) ?? new Uint8Array());
      const claim = { from: old.size, to: now.size, fromRoot: old.root, toRoot: now.root, hashes: bytes };
      expect(verifyConsistency(claim)).to.equal(true);
    });

    it('takes deliveries at the addresses that vendors were told', async () => {
      const { token, secret } = json('source') as { token: string; secret: string };
      const text = JSON.stringify({
        id: 'b',
        state: 'resolved',
        severity: 'critical',
        title: 'down',
        time: '2026-01-04T12:01:00Z',
      });
      const signature = createHmac('sha256', secret).update(text).digest('hex');
      const { status } = await fetch(`${platform.url}/hooks/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-signature': signature },
        body: text,
      });
      expect(status).to.equal(202);
      await until(
        () => get('/incidents?state=unresolved'),
        ({ incidents }) => incidents.length === 0,
        'the end of the open incident',
      );
    });

    it('checks as a whole, before and after', async () => {
      const { exit, said } = await orb(home, 'log', 'fsck');
      expect(exit, said).to.equal(0);
    });
  });

  describe(`what release ${version} gave away`, function () {
    this.timeout(180_000);
    const { home, saved, json } = openHome(version);
    const jwks = ['--keys', join(home, 'data/state/jwks.json')];
    after(() => rmSync(home, { recursive: true, force: true }));

    it('receipts verify offline, one by one and as an export', async () => {
      const one = Object.values(json('receipts')).at(-1);
      writeFileSync(saved('one.json'), JSON.stringify(one));
      const alone = await orb(home, 'receipts', 'verify', saved('one.json'), ...jwks);
      expect(alone.exit, alone.said).to.equal(0);
      mkdirSync(saved('export'));
      await new Promise<void>((resolve, reject) => {
        execFile('tar', ['-xf', saved('receipts.tar'), '-C', saved('export')], (error) =>
          error === null ? resolve() : reject(new Error(error.message)),
        );
      });
      const [folder = '.'] = readdirSync(saved('export')).length === 1 ? readdirSync(saved('export')) : ['.'];
      for (const words of [
        ['receipts', 'verify'],
        ['log', 'fsck'],
      ]) {
        const all = await orb(home, ...words, join(saved('export'), folder), ...jwks);
        expect(all.exit, all.said).to.equal(0);
      }
    });

    it('the ledger is recomputed to the digests it showed', async () => {
      const { exit, said } = await orb(home, 'ledger', 'replay', saved('ledger'));
      expect(exit, said).to.equal(0);
    });

    it('a backup is restored, serves its receipts, and goes on in a shard of its own', async () => {
      const restored = await orb(home, 'restore', join(home, 'backup'), '--replace');
      expect(restored.exit, restored.said).to.equal(0);
      const platform = await startPlatform({ home, clock, env: { ORB_PUBLIC_URL: 'https://orb.example' } });
      try {
        const then = json('receipts') as Record<string, { envelope: unknown }>;
        const { body } = await platform.call('GET', '/receipts?limit=100');
        const ids = (body.receipts as { receipt_id: string }[]).map(({ receipt_id }) => receipt_id);
        const kept = ids.filter((id) => id in then);
        expect(kept).to.have.length.above(70);
        for (const id of kept)
          expect((await platform.call('GET', `/receipts/${id}`)).body.envelope, id).to.deep.equal(then[id]?.envelope);
        const run = await platform.call('POST', '/orbisets/default/execute', {
          orb_id: 'demo.echo@1.0.0',
          inputs: { text: 'after' },
        });
        const { proof } = (await platform.call('GET', `/receipts/${run.body.receipt.receipt_id}`)).body;
        expect(proof.origin).to.match(/\/2-[0-9a-f]{8}$/);
      } finally {
        await platform.stop({ keep: true });
      }
      const checked = await orb(home, 'log', 'fsck');
      expect(checked.exit, checked.said).to.equal(0);
    });
  });
}
