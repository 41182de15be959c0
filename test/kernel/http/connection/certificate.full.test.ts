import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';

const fileOf = (folder: string, name: string): URL => new URL(`../../../helpers/${folder}${name}.pem`, import.meta.url);
const pairs = { first: 'tls/test-only.', second: 'tls-smtp/' } as const;
const fingerprintOf = (pair: keyof typeof pairs): string =>
  new X509Certificate(readFileSync(fileOf(pairs[pair], 'cert'))).fingerprint256;

/** Answers which certificate a listener shows. */
function shownBy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('the certificate of a listener', () => {
  let home: string;
  let platform: TestPlatform | undefined;
  let lines: string[];
  const install = (pair: keyof typeof pairs, names: readonly string[] = ['cert', 'key']): void => {
    for (const name of names) {
      copyFileSync(fileOf(pairs[pair], name), join(home, 'next'));
      renameSync(join(home, 'next'), join(home, `${name}.pem`));
    }
  };
  const told = (text: string): string[] => lines.filter((line) => line.includes(text));

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'orb-tls-'));
    mkdirSync(join(home, 'data'));
    install('first');
    lines = [];
    const tls = { cert: { $file: 'cert.pem' }, key: { $file: 'key.pem' } };
    platform = await startPlatform({
      home,
      platform: {
        listen: [{ address: '127.0.0.1:0' }, { address: '127.0.0.1:0', tls }],
        providers: { echo: { adapter: 'echo/local' } },
      },
      onLog: (line) => lines.push(line),
    });
  });
  afterEach(async () => {
    await platform?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('is read again when its files change, without a restart', async () => {
    const url = platform?.kernel.listeners[1]?.url ?? '';
    expect(await shownBy(url)).to.equal(fingerprintOf('first'));
    install('second');
    await until(
      () => shownBy(url),
      (found) => found === fingerprintOf('second'),
    );
    expect(told('the listener serves the changed TLS certificate')).to.have.length(1);
    const reloaded = await platform?.call('POST', '/config/reload');
    expect(reloaded?.body.restart_required).to.deep.equal([]);
  });

  it('stays when the new one is broken or half of a pair, which is told once, and is taken as soon as it is whole', async () => {
    const url = platform?.kernel.listeners[1]?.url ?? '';
    writeFileSync(join(home, 'cert.pem'), 'not a certificate');
    await until(
      () => told('cannot be used').length,
      (count) => count === 1,
    );
    expect(await shownBy(url)).to.equal(fingerprintOf('first'));
    install('second', ['cert']);
    await until(
      () => told('cannot be used').length,
      (count) => count === 2,
    );
    expect(await shownBy(url)).to.equal(fingerprintOf('first'));
    rmSync(join(home, 'key.pem'));
    await until(
      () => told('cannot be used').length,
      (count) => count === 3,
    );
    expect(await shownBy(url)).to.equal(fingerprintOf('first'));
    install('second');
    await until(
      () => shownBy(url),
      (found) => found === fingerprintOf('second'),
    );
    expect(told('cannot be used')).to.have.length(3);
  });
});
