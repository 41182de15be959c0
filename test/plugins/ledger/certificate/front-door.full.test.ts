import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedProgram } from '../../../helpers/program.ts';
import { verifyCommand } from '../../../../plugins/ledger/certificate/commands/verify.ts';
import { atTime, runCommand } from '../../../helpers/command.ts';
import { send } from '../../../helpers/http.ts';
import { startSmtp, type SmtpReceiver } from '../../../helpers/smtp.ts';
import { until } from '../../../helpers/until.ts';
import { startMarket, type Market } from '../market.ts';

const orbId = 'notify.email@1.0.0';
const path = `/reputation/${encodeURIComponent(orbId)}`;
const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

describe('a certificate from a fresh installation on', function () {
  this.timeout(180_000);
  let smtp: SmtpReceiver;
  let market: Market;
  let callers: readonly string[];
  let first: string;
  before(async () => {
    smtp = await startSmtp({ tls: 'none' });
    const config = { host: '127.0.0.1', port: smtp.port, starttls: 'never' };
    market = await startMarket({
      env: { ORB_PUBLIC_URL: 'https://orb.example' },
      platform: { providers: { 'smtp-main': { adapter: 'email/smtp', config }, outbox: { adapter: 'email/outbox' } } },
    });
    const key = (name: string) => market.platform.key({ name, scopes: ['orbs:execute'] });
    callers = [await key('billing'), await key('support')];
    await signManifest();
  });
  after(async () => {
    await market.platform.stop();
    await smtp.close();
  });

  async function signManifest(): Promise<void> {
    const { home } = market.platform;
    const args = ['orbs', 'sign', orbId, '--key', join(home, 'notify.key'), '--json'];
    const signed = spawnSync(process.execPath, [shippedProgram, ...args], {
      cwd: home,
      encoding: 'utf8',
    });
    const { manifest_key } = JSON.parse(signed.stdout) as { manifest_key: object };
    const { namespaces } = (await market.platform.call('GET', '/namespaces')).body;
    const { owner } = namespaces.find(({ namespace }: { namespace: string }) => namespace === 'notify');
    await market.platform.call('POST', '/namespaces', { namespace: 'notify', owner, manifest_key });
    expect((await market.platform.call('POST', '/marketplace/orbs/publish', { orb_id: orbId })).status).to.equal(201);
  }

  const day = async (): Promise<void> => {
    for (const key of callers)
      for (let at = 0; at < 8; at++)
        await market.platform.call('POST', '/orbisets/default/execute', { orb_id: orbId, inputs: email }, key);
    await market.endDay();
  };
  const get = async (address: string) => {
    // Waiting for a change asks more often than a stranger may.
    const allowed = ({ status }: { status: number }) => status !== 429;
    const { text } = await until(() => send(market.platform.url, address), allowed, address);
    return JSON.parse(text);
  };
  const certificate = () => get(`${path}/certificate`);
  /** Waits until the certificate of the Orb fits: the keeper follows the ledger soon, not at once. */
  const changed = async (what: string, fits: (answer: { status?: unknown; certificate_id?: unknown }) => boolean) => {
    await market.until(what, async () => fits(await certificate()));
    return certificate();
  };
  const badge = async (): Promise<string> =>
    /aria-label="([^"]+)"/.exec((await send(market.platform.url, `${path}/badge`)).text)?.[1] ?? '';
  const verify = (json: unknown) => send(market.platform.url, '/certificates/verify', { json });
  /** Runs `orb certificate verify` on saved files, on the day of issue by the clock of the platform. */
  const offline = async (answer: { readonly issued_at: string }, options: Record<string, string>): Promise<unknown> => {
    const { home, stateDir } = market.platform;
    const file = (name: string, value: unknown): string => {
      writeFileSync(join(home, name), JSON.stringify(value));
      return join(home, name);
    };
    const statusList = [file('1.json', await get('/status-lists/1')), file('2.json', await get('/status-lists/2'))];
    const call = { options: { ...options, statusList } };
    const verify = () => runCommand(verifyCommand, stateDir, [file('certificate.json', answer)], call);
    return (await atTime(Date.parse(answer.issued_at), verify)).exit;
  };

  it('is not there before the first tier, and the answer says what is missing', async () => {
    const { code, reasons } = await certificate();
    expect(code).to.equal('certificate_not_issued');
    expect(reasons).to.have.length.at.least(1);
    await day();
    const { reasons: gates } = await certificate();
    expect(gates.map(({ gate }: { gate: string }) => gate)).to.include.members(['score', 'active_days']);
    expect(await badge()).to.match(/^orb: (new|no tier) · \d+$/);
  });

  it('is issued with bronze, and names the manifest and the scoring document by the digests of their bytes', async () => {
    await day();
    await day();
    const answer = await changed('the certificate', ({ status }) => status === 'valid');
    expect(answer).to.include({ certification_tier: 'bronze', orb_id: orbId });
    expect(await badge()).to.match(/^orb: bronze · \d\d$/);
    for (const { id, digestMultibase } of answer.credential.relatedResource) {
      const bytes = await fetch(market.platform.url + new URL(id as string).pathname);
      const hash = createHash('sha256')
        .update(Buffer.from(await bytes.arrayBuffer()))
        .digest('base64url');
      const multihash = Buffer.concat([Buffer.from([0x12, 0x20]), Buffer.from(hash, 'base64url')]);
      expect(digestMultibase).to.equal(`u${multihash.toString('base64url')}`);
    }
    const [{ id: evidence }] = answer.credential.evidence;
    expect(
      (await fetch(market.platform.url + (evidence as string).slice('https://orb.example'.length))).status,
    ).to.equal(200);
    expect(answer.credential.credentialSubject.publisher.manifestKey).to.match(/^[A-Za-z0-9_-]{43}$/);
    first = answer.certificate_id;
  });

  it('verifies here, and offline by the published keys', async () => {
    const answer = await certificate();
    expect((await verify(answer)).json).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(await offline(answer, {})).to.equal(0);
    expect(
      await offline(answer, { issuer: 'did:web:other.example', keys: join(market.platform.stateDir, 'jwks.json') }),
    ).to.equal(4);
  });

  it('follows a suspension and its end', async () => {
    await market.platform.call('POST', `${path}/suspend`, { reason: 'a complaint' });
    const suspended = await changed('the suspension', ({ status }) => status === 'suspended');
    expect(await badge()).to.equal('orb: suspended');
    expect((await verify(suspended)).json).to.include({ exit: 1 });
    expect(await offline(suspended, {})).to.equal(1);
    await market.platform.call('POST', `${path}/reinstate`, { reason: 'it was nothing' });
    const back = await changed('its end', ({ status }) => status === 'valid');
    expect(back.certificate_id).to.equal(first);
    expect(await offline(back, {})).to.equal(0);
  });

  const revokeKey = async (from: object = {}): Promise<void> => {
    const { keys } = (await market.platform.call('GET', '/signing-keys')).body;
    const { kid } = keys.find(
      (one: { role: string; status: string }) => one.role === 'certificate' && one.status === 'active',
    );
    const { status } = await market.platform.call('POST', `/signing-keys/${kid}/revoke`, { reason: 'lost', ...from });
    expect(status).to.equal(200);
  };

  it('outlives its key, which is revoked from now on; one of the next key is issued at once', async () => {
    const before = await certificate();
    await revokeKey();
    const after = await changed(
      'the next certificate',
      ({ certificate_id }) => certificate_id !== before.certificate_id,
    );
    expect(after.verification.key).not.to.equal(before.verification.key);
    for (const one of [before, after]) {
      expect((await verify(one)).json).to.include({ exit: 0 });
      expect(await offline(one, {})).to.equal(0);
    }
    const { verificationMethod, assertionMethod } = await get('/.well-known/did.json');
    expect([verificationMethod.length, assertionMethod.length]).to.deep.equal([2, 1]);
  });

  it('ends with its key when that is revoked from the beginning; one of the next key is issued at once', async () => {
    const before = await certificate();
    const { origin } = before.credential.credentialSubject.receiptLog;
    await revokeKey({ from: { origin, index: 0 } });
    const after = await changed(
      'the next certificate',
      ({ certificate_id }) => certificate_id !== before.certificate_id,
    );
    expect((await verify(before)).json).to.include({ exit: 4 });
    expect(await offline(before, {})).to.equal(4);
    expect((await verify(after)).json).to.include({ exit: 0 });
    expect(await offline(after, {})).to.equal(0);
  });

  it('is revoked for good when the Orb is yanked', async () => {
    const before = await certificate();
    const yanked = await market.platform.call('PATCH', `/marketplace/orbs/${encodeURIComponent(orbId)}/status`, {
      status: 'yanked',
      reason: 'withdrawn',
    });
    expect(yanked.status, JSON.stringify(yanked.body)).to.equal(200);
    await changed('the revocation', ({ status }) => status === 'revoked');
    expect(await badge()).to.equal('orb: revoked');
    expect((await verify(before)).json).to.include({ exit: 1 });
    expect(await offline(before, {})).to.equal(1);
  });

  it('is still there after a restart, revoked as before', async () => {
    const before = await certificate();
    const { home } = market.platform;
    await market.platform.stop({ keep: true });
    market = await startMarket({
      home,
      env: { ORB_PUBLIC_URL: 'https://orb.example' },
      clock: { now: () => Date.UTC(2026, 0, 6), monotonic: () => performance.now() },
    });
    expect(await certificate()).to.deep.equal(before);
  });
});
