import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { verifyCommand } from '../../../../plugins/ledger/certificate/commands/verify.ts';
import type { CertificateReport } from '../../../../plugins/ledger/certificate/format/report.ts';
import { atTime, runCommand } from '../../../helpers/command.ts';
import { orb, startWorld, type World } from './world.ts';

type Json = Record<string, unknown>;

describe('orb certificate verify', () => {
  let world: World;
  let forger: World;
  let folder: string;
  let named: Server;
  let asked = 0;
  let certificate: Json;
  let did: string;
  const file = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const lists = async (of: World, name: string): Promise<string[]> => [
    file(`${name}-1.json`, await of.get('/status-lists/1')),
    file(`${name}-2.json`, await of.get('/status-lists/2')),
  ];
  /** Runs the command in a state dir of nobody; `today` holds the verifier's clock where the world's stands. */
  const run = async (path: string, options: CommandCall['options'] = {}, stateDir = folder) => {
    const verify = () => runCommand<CertificateReport | undefined>(verifyCommand, stateDir, [path], { options });
    const { exit, value: report, notes } = await atTime(world.now(), verify);
    const failed = (report?.checks ?? []).filter(({ result }) => result !== 'pass').map(({ name }) => name);
    return { exit, failed, report, notes };
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-certificate-'));
    named = createServer((_, res) => {
      asked += 1;
      res.end('{}');
    });
    await new Promise<void>((resolve) => named.listen(0, '127.0.0.1', resolve));
    // Everything that the artefacts name is at this address: a verifier that fetches would be seen here.
    const publicUrl = `http://127.0.0.1:${(named.address() as AddressInfo).port}`;
    world = await startWorld({ publicUrl });
    forger = await startWorld({ publicUrl });
    for (const one of [world, forger]) {
      one.holds('gold');
      await one.snapshot();
    }
    certificate = (await world.certificate()) as Json;
    did = String((certificate['verification'] as Json)['did']);
  });
  after(async () => {
    await Promise.all([world.stop(), forger.stop()]);
    named.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('verifies offline with published keys and saved lists: exit 0, and nothing is fetched', async () => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const statusList = await lists(world, 'list');
    for (const artefact of [certificate, certificate['credential']])
      for (const options of [
        { keys, statusList },
        { issuer: did, keys, statusList },
      ]) {
        const { exit, failed, report } = await run(file('certificate.json', artefact), options);
        expect({ exit, failed }).to.deep.equal({ exit: 0, failed: [] });
        expect(report?.values).to.include({
          orb_id: orb,
          certification_tier: 'gold',
          reputation_score: 95,
          issuer: did,
        });
      }
    expect(asked).to.equal(0);
  });

  it('takes the keys of the state dir unless told otherwise', async () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-state-'));
    writeFileSync(join(home, 'jwks.json'), JSON.stringify(world.signer.keySet()));
    const statusList = await lists(world, 'list');
    expect((await run(file('certificate.json', certificate), { statusList }, home)).exit).to.equal(0);
    expect((await run(file('certificate.json', certificate), { issuer: did, statusList }, home)).exit).to.equal(0);
    rmSync(home, { recursive: true });
  });

  it('takes the keys that are named before those of the state dir', async () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-state-'));
    writeFileSync(join(home, 'jwks.json'), JSON.stringify(world.signer.keySet()));
    const keys = file('theirs.json', forger.signer.keySet());
    const mine = { keys, statusList: await lists(world, 'list') };
    const theirs = { keys, statusList: await lists(forger, 'forged-list') };
    expect((await run(file('certificate.json', certificate), mine, home)).exit).to.equal(4);
    expect((await run(file('theirs-too.json', await forger.certificate()), theirs, home)).exit).to.equal(0);
    rmSync(home, { recursive: true });
  });

  it('takes the key that a did:key is, though the keys at hand are others: what these say of it is not known', async () => {
    const home = mkdtempSync(join(tmpdir(), 'orb-state-'));
    writeFileSync(join(home, 'jwks.json'), JSON.stringify(world.signer.keySet()));
    const theirs = (await forger.certificate()) as { verification: { did: string } };
    const statusList = await lists(forger, 'forged-list');
    const found = await run(file('theirs.json', theirs), { issuer: theirs.verification.did, statusList }, home);
    expect(found).to.deep.include({ exit: 3, failed: ['key_active'] });
    rmSync(home, { recursive: true });
  });

  it('takes the other keys at hand along with that of a did:key: they sign the lists after it', async () => {
    const one = await startWorld();
    try {
      one.holds('gold');
      await one.snapshot();
      const first = (await one.certificate()) as { verification: { did: string } };
      one.signer.rotate(150);
      await one.snapshot(0, 200);
      const keys = file('both.json', one.signer.keySet());
      const statusList = await lists(one, 'rotated');
      const { did: issuer } = first.verification;
      expect((await run(file('first.json', first), { issuer, keys, statusList })).exit).to.equal(0);
    } finally {
      await one.stop();
    }
  });

  const without = [
    ['a pinned issuer', () => ({}), ['proof', 'issuer_trusted', 'key_active', 'status']],
    ['status lists', () => ({ keys: true, statusList: [] as string[] }), ['status']],
    ['a position of the key: a did:key alone tells none', () => ({ issuer: true }), ['key_active', 'status']],
  ] as const;
  for (const [name, options, failed] of without)
    it(`says what it could not check without ${name}: exit 3`, async () => {
      const given: Record<string, unknown> = options();
      const keys = file('jwks.json.saved', world.signer.keySet());
      const found = await run(file('certificate.json', certificate), {
        ...('keys' in given ? { keys } : {}),
        ...('issuer' in given ? { issuer: did } : {}),
      });
      expect(found).to.deep.include({ exit: 3, failed });
    });

  it("does not accept a forger's certificate: exit 3 without a pin, 4 with", async () => {
    const forged = file('forged.json', await forger.certificate());
    const statusList = await lists(forger, 'forged-list');
    const keys = file('jwks.json.saved', world.signer.keySet());
    expect((await run(forged, { statusList })).exit).to.equal(3);
    expect((await run(forged, { keys, statusList })).exit).to.equal(4);
    expect((await run(forged, { issuer: did, statusList })).exit).to.equal(4);
    // The forger's key under the name of the issuer, and the other way round.
    const { credential } = (await forger.certificate()) as { credential: Json };
    const mine = certificate['credential'] as { issuer: Json; proof: Json };
    const mixed = { ...credential, issuer: mine.issuer, proof: { ...(credential['proof'] as Json) } };
    expect((await run(file('mixed.json', mixed), { keys, statusList })).exit).to.equal(4);
    const named = {
      ...credential,
      issuer: mine.issuer,
      proof: { ...(credential['proof'] as Json), verificationMethod: mine.proof['verificationMethod'] },
    };
    expect((await run(file('named.json', named), { keys, statusList })).exit).to.equal(1);
    expect(asked).to.equal(0);
  });

  it("does not accept a forger's status list: exit 4", async () => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const statusList = await lists(forger, 'forged-list');
    expect(await run(file('certificate.json', certificate), { keys, statusList })).to.deep.include({
      exit: 4,
      failed: ['status'],
    });
  });

  it('sees a changed certificate, and a changed list: exit 1', async () => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const statusList = await lists(world, 'list');
    const { credential } = certificate as { credential: Json };
    const subject = { ...(credential['credentialSubject'] as Json), tier: 'platinum' };
    const raised = file('raised.json', { ...credential, credentialSubject: subject });
    expect((await run(raised, { keys, statusList })).exit).to.equal(1);
    const list = (await world.get('/status-lists/1')) as Json;
    const cleared = file('list-1.json', { ...list, validUntil: '2036-01-01T00:00:00Z' });
    const found = await run(file('certificate.json', certificate), {
      keys,
      statusList: [cleared, statusList[1] ?? ''],
    });
    expect(found).to.deep.include({ exit: 1, failed: ['status'] });
  });

  it('sees a claim beside the credential that the credential does not make: exit 1, or 2 when it is none of the form', async () => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const statusList = await lists(world, 'list');
    const raised = file('raised.json', { ...certificate, certification_tier: 'platinum' });
    expect(await run(raised, { keys, statusList })).to.deep.include({ exit: 1, failed: ['readable_copy_matches'] });
    const beside = file('beside.json', { ...certificate, claim: 'platinum' });
    expect(await run(beside, { keys, statusList })).to.deep.include({ exit: 2, failed: ['form'] });
  });

  it('says of an outdated list that it was not checked, and of an old certificate that it has expired', async () => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const statusList = await lists(world, 'list');
    world.pass(3);
    expect(await run(file('certificate.json', certificate), { keys, statusList })).to.deep.include({
      exit: 3,
      failed: ['status'],
    });
    world.pass(30);
    const late = await run(file('certificate.json', certificate), { keys, statusList: await lists(world, 'list') });
    expect(late).to.deep.include({ exit: 1, failed: ['dates'] });
    world.pass(-33);
  });

  it('knows the key by its entries in the log: not yet there, no longer active, revoked: exit 4', async () => {
    const statusList = await lists(world, 'list');
    const set = world.signer.keySet() as { keys: Json[] };
    const [key] = set.keys;
    const origin = String((key?.['since'] as Json)['origin']);
    const at = (index: number, shard = origin) => ({ origin: shard, index });
    const next = { ...key, x: Buffer.alloc(32, 3).toString('base64url'), status: 'active' };
    const cases: readonly (readonly [string, Json[], number])[] = [
      ['stands', [{ ...key, since: at(99) }], 0],
      ['comes after', [{ ...key, since: at(100) }], 4],
      ['comes in a later shard', [{ ...key, since: at(1, origin.replace(/0$/, '1')) }], 4],
      ['is of another installation', [{ ...key, since: at(1, `other${origin}`) }], 4],
      [
        'was followed by another',
        [
          { ...key, status: 'retired' },
          { ...next, since: at(50) },
        ],
        4,
      ],
      [
        'was followed later',
        [
          { ...key, status: 'retired' },
          { ...next, since: at(100) },
        ],
        0,
      ],
      ['was revoked, from an unknown point on', [{ ...key, status: 'revoked' }], 4],
      ['was revoked from within that log on', [{ ...key, status: 'revoked', revoked_at: at(99) }], 4],
      ['has no position', [Object.fromEntries(Object.entries(key ?? {}).filter(([name]) => name !== 'since'))], 3],
      ['is for receipts', [{ ...key, role: 'receipt' }], 3],
    ];
    for (const [name, keys, exit] of cases) {
      const path = file('keys.json', { keys });
      expect((await run(file('certificate.json', certificate), { keys: path, statusList })).exit, name).to.equal(exit);
    }
  });

  it('refuses what has not the form of a certificate: exit 2', async () => {
    const keys = file('jwks.json.saved', world.signer.keySet());
    const text = JSON.stringify(certificate['credential']);
    for (const artefact of [
      '',
      'no json',
      '[]',
      '{}',
      'null',
      text.replace('{', '{"id":"https://x.example",'),
      `[${text}]`,
    ]) {
      const { exit, failed } = await run(file('odd.json', artefact), { keys });
      expect({ exit, failed }, artefact.slice(0, 40)).to.deep.equal({ exit: 2, failed: ['form'] });
    }
  });

  it('says when a file, or an issuer, cannot be used: exit 3', async () => {
    const path = file('certificate.json', certificate);
    for (const options of [
      { keys: join(folder, 'absent') },
      { keys: path },
      { statusList: [join(folder, 'absent')] },
      { issuer: 'did:example:x' },
      { issuer: 'did:web:orb.example:path' },
    ]) {
      const { exit, notes } = await run(path, options);
      expect([exit, notes.length], JSON.stringify(options)).to.deep.equal([3, 1]);
    }
    expect((await run(join(folder, 'absent'))).exit).to.equal(3);
  });

  it('is there from the front door, and prints nothing that a terminal obeys', () => {
    const hostile = { ...(certificate['credential'] as Json), 'x\u001b[2J\u202e': 1 };
    const program = join(import.meta.dirname, '../../../../kernel/orb.js');
    const words = [program, 'certificate', 'verify', file('hostile.json', hostile)];
    const env = { PATH: process.env['PATH'] };
    const { status, stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env });
    expect(status).to.equal(2);
    expect(stdout)
      .to.match(/REJECTED/)
      .and.not.match(/[\u001b\u202e]/);
    expect(asked).to.equal(0);
  }).timeout(60_000);
});
