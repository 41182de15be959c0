import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { certificateOf, expiresSoon } from '../../../plugins/alerts/certificates.ts';

const pem = (name: string): string =>
  readFileSync(new URL(`../../helpers/tls/test-only.${name}.pem`, import.meta.url), 'utf8');
const day = 86_400_000;

describe('certificates that expire', () => {
  it('are told two weeks and two days before, and when they have expired', () => {
    const soon = [15, 14.5, 13.5, 2.5, 1.5, -1, Number.NaN].map((days) => expiresSoon(days * day, 0));
    expect(soon).to.deep.equal([undefined, undefined, 'in 14 days', 'in 14 days', 'in 2 days', 'in 2 days', undefined]);
  });

  it('are read as visitors get them, once a minute; one that cannot be read may be there', async () => {
    const server = createServer({ cert: pem('cert'), key: pem('key') });
    let connections = 0;
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    let now = 0;
    const failed: unknown[] = [];
    const found = (address: string) => certificateOf(address, { monotonic: () => now }, (err) => failed.push(err));
    const concern = found(`https://${own}`);
    const expected = { count: 1, newest: [{ id: own, title: own, at: '2126-10-28T11:48:49.000Z' }] };
    expect(await concern.find(undefined)).to.deep.equal(expected);
    now = 59_000;
    expect(await concern.find(undefined)).to.deep.equal(expected);
    expect(connections).to.equal(1);
    now = 61_000;
    await concern.find(undefined);
    expect(connections).to.equal(2);
    server.close();
    expect(failed).to.deep.equal([]);
    expect(await found('https://127.0.0.1:1').find(undefined)).to.deep.equal({ count: 0, newest: [], more: true });
    expect(String(failed[0])).to.contain('ECONNREFUSED');
    expect(await found('http://127.0.0.1:1').find(undefined)).to.deep.equal({ count: 0, newest: [] });
  });
});
