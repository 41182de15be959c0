import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { mock } from 'node:test';
import { expect } from 'chai';
import { verifyCommand } from '../../../../plugins/ledger/certificate/commands/verify.ts';
import { keyDid } from '../../../../plugins/ledger/certificate/format/did.ts';
import { atTime, runCommand } from '../../../helpers/command.ts';
import { startWorld, type World } from './world.ts';

const tls = join(import.meta.dirname, '../../../helpers/tls');
const cert = readFileSync(join(tls, 'test-only.cert.pem'), 'utf8');

describe('orb certificate verify --issuer did:web', () => {
  let world: World;
  let host: Server;
  let folder: string;
  let did: string;
  let usual: string[];
  let asked: string[] = [];
  let answer: (text: string) => {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly body: string;
  };
  const run = async (options: Record<string, string | readonly string[]>) => {
    const verify = () => runCommand(verifyCommand, folder, [join(folder, 'certificate.json')], { options });
    const { exit, notes } = await atTime(world.now(), verify);
    return { exit, note: notes.join() };
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-web-issuer-'));
    usual = getCACertificates('default');
    setDefaultCACertificates([...usual, cert]);
    host = createServer({ cert, key: readFileSync(join(tls, 'test-only.key.pem')) }, (req, res) => {
      asked.push(req.url ?? '');
      void world.get('/.well-known/did.json').then((document: unknown) => {
        const { status = 200, headers = {}, body } = answer(JSON.stringify(document));
        res.writeHead(status, headers).end(body);
      });
    });
    await new Promise<void>((resolve) => host.listen(0, 'localhost', resolve));
    const { port } = host.address() as AddressInfo;
    world = await startWorld({ publicUrl: `https://localhost:${port}` });
    world.holds('gold');
    await world.snapshot();
    const certificate = await world.certificate();
    did = certificate.verification.did;
    writeFileSync(join(folder, 'certificate.json'), JSON.stringify(certificate));
    for (const list of [1, 2])
      writeFileSync(join(folder, `${list}.json`), JSON.stringify(await world.get(`/status-lists/${list}`)));
    writeFileSync(join(folder, 'keys.json'), JSON.stringify(world.signer.keySet()));
  });
  beforeEach(() => {
    asked = [];
    answer = (body) => ({ body });
  });
  after(async () => {
    setDefaultCACertificates(usual);
    host.closeAllConnections();
    host.close();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const statusList = () => [1, 2].map((list) => join(folder, `${list}.json`));

  it('asks the host that was typed, once, and verifies with the keys it shows', async () => {
    expect(did).to.match(/^did:web:localhost%3A\d+$/);
    expect(await run({ issuer: did, statusList: statusList() })).to.deep.equal({ exit: 0, note: '' });
    expect(asked).to.deep.equal(['/.well-known/did.json']);
  });

  it('asks nobody when the keys are at hand, nor when no issuer was typed', async () => {
    expect((await run({ issuer: did, keys: join(folder, 'keys.json'), statusList: statusList() })).exit).to.equal(0);
    expect((await run({ statusList: statusList() })).exit).to.equal(3);
    expect(asked).to.deep.equal([]);
  });

  it('does not accept the certificate as one of another host that shows the same keys', async () => {
    expect(
      (await run({ issuer: 'did:web:other.example', keys: join(folder, 'keys.json'), statusList: statusList() })).exit,
    ).to.equal(4);
  });

  it('asks the host though keys of the state dir are at hand: these are of whoever runs here', async () => {
    const keys = join(folder, 'jwks.json');
    cpSync(join(folder, 'keys.json'), keys);
    try {
      expect((await run({ issuer: did, statusList: statusList() })).exit).to.equal(0);
      expect(asked).to.deep.equal(['/.well-known/did.json']);
    } finally {
      rmSync(keys);
    }
  });

  it('does not accept it as one of the bare key that signed it: that is another issuer', async () => {
    const [key] = world.signer.keys();
    const issuer = keyDid(key?.public_key ?? expect.fail('no key'));
    expect((await run({ issuer, keys: join(folder, 'keys.json'), statusList: statusList() })).exit).to.equal(4);
    expect(asked).to.deep.equal([]);
  });

  it('waits ten seconds for the host, and no longer', async () => {
    const timeout = mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(new Error('too late')));
    try {
      const { exit, note } = await run({ issuer: did, statusList: statusList() });
      expect(exit).to.equal(3);
      expect(note).to.contain('too late');
      expect(timeout.mock.calls.map(({ arguments: given }) => given)).to.deep.equal([[10_000]]);
    } finally {
      timeout.mock.restore();
    }
  });

  it('reads 65 536 characters of a document, and not one more', async () => {
    for (const [length, exit] of [
      [65_536, 0],
      [65_537, 3],
    ] as const) {
      answer = (text) => ({ body: text.padEnd(length) });
      expect((await run({ issuer: did, statusList: statusList() })).exit, `${length}`).to.equal(exit);
    }
  });

  it('accepts no key that the document does not let assert, or shows as revoked', async () => {
    for (const change of [{ assertionMethod: [] }, { revoked: true }]) {
      answer = (text) => {
        const document = JSON.parse(text) as { verificationMethod: object[] };
        const shown = document.verificationMethod.map((one) => ({ ...one, revokedAt: { origin: 'x', index: 1 } }));
        return {
          body: JSON.stringify({ ...document, ...('revoked' in change ? { verificationMethod: shown } : change) }),
        };
      };
      expect((await run({ issuer: did, statusList: statusList() })).exit).to.equal(4);
    }
  });

  const unusable: readonly (readonly [string, typeof answer])[] = [
    ['a document of another', (text) => ({ body: text.replace(`"id":"${did}"`, '"id":"did:web:other.example"') })],
    [
      'a redirection to one that shows the keys',
      (body) => (asked.length > 1 ? { body } : { status: 302, headers: { location: '/moved' }, body }),
    ],
    ['an error', (body) => ({ status: 500, body })],
    ['no JSON', () => ({ body: 'x' })],
    ['more than a document', (text) => ({ body: text + ' '.repeat(70_000) })],
  ];
  for (const [name, given] of unusable)
    it(`does not use what the host answers when it is ${name}: exit 3`, async () => {
      answer = given;
      const { exit, note } = await run({ issuer: did, statusList: statusList() });
      expect(exit).to.equal(3);
      expect(note).to.contain('/.well-known/did.json');
    });
});
