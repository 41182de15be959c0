import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { certificateReader, expiresSoon } from '../../../plugins/alerts/certificates.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../../helpers/tls/test-only.${name}.pem`, import.meta.url), 'utf8');
const day = 86_400_000;

describe('certificates that expire', () => {
  it('are told two weeks and two days before, and when they have expired', () => {
    const soon = [15, 14.5, 13.5, 2.5, 1.5, -1, Number.NaN].map((days) => expiresSoon(days * day, 0));
    expect(soon).to.deep.equal([undefined, undefined, 'in 14 days', 'in 14 days', 'in 2 days', 'in 2 days', undefined]);
  });

  it('are read from each address with TLS, once a minute; one that does not answer has none', async () => {
    const server = createServer({ cert: pem('cert'), key: pem('key') });
    let connections = 0;
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    let at = 0;
    const failed: string[] = [];
    const read = certificateReader(
      [`https://${own}`, `https://${own}`, 'https://127.0.0.1:1', 'http://127.0.0.1:2'],
      { monotonic: () => at },
      (host) => void failed.push(host),
    );
    const expected = [
      { host: own, ends_at: Date.parse('2126-10-28T11:48:49Z') },
      { host: '127.0.0.1:1', ends_at: undefined },
    ];
    expect(await read()).to.deep.equal(expected);
    at = 59_000;
    expect(await read()).to.deep.equal(expected);
    expect([connections, failed]).to.deep.equal([1, ['127.0.0.1:1']]);
    at = 61_000;
    await read();
    expect(connections).to.equal(2);
    server.close();
  });
});
