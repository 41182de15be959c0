import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/error.ts';
import { addressBlock, createProxies, isLoopback } from '../../../../kernel/http/connection/address.ts';

describe('the address of the caller', () => {
  const proxies = createProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);
  const rows = [
    { name: 'is the peer without a header', peer: '10.0.0.1', forwarded: undefined, client: '10.0.0.1' },
    { name: 'is the peer when that is not trusted', peer: '203.0.113.9', forwarded: '1.2.3.4', client: '203.0.113.9' },
    { name: 'is the rightmost untrusted hop', peer: '10.0.0.1', forwarded: '1.2.3.4, 5.6.7.8', client: '5.6.7.8' },
    { name: 'lies behind two proxies', peer: '10.0.0.1', forwarded: '1.2.3.4, 5.6.7.8, 10.9.9.9', client: '5.6.7.8' },
    {
      name: 'is the leftmost when all are trusted',
      peer: '10.0.0.1',
      forwarded: '10.0.0.3,10.0.0.2',
      client: '10.0.0.3',
    },
    { name: 'stops at what is no address', peer: '10.0.0.1', forwarded: '1.2.3.4, unknown', client: '10.0.0.1' },
    { name: 'comes without its port', peer: '10.0.0.1', forwarded: '5.6.7.8:1234', client: '5.6.7.8' },
    { name: 'comes without brackets', peer: '2001:db8::1', forwarded: '[2a00::5]:99', client: '2a00::5' },
    { name: 'is read from a mapped peer', peer: '::ffff:10.0.0.1', forwarded: '5.6.7.8', client: '5.6.7.8' },
    { name: 'is read from a mapped hop', peer: '192.0.2.7', forwarded: '5.6.7.8, ::ffff:10.1.1.1', client: '5.6.7.8' },
    {
      name: 'is not taken from a neighbour of a trusted one',
      peer: '192.0.2.8',
      forwarded: '1.1.1.1',
      client: '192.0.2.8',
    },
  ];
  for (const { name, peer, forwarded, client } of rows) {
    it(name, () => expect(proxies.clientAddress(peer, forwarded)).to.equal(client));
  }

  it('trusts nobody by default', () => {
    const none = createProxies([]);
    expect(none.clientAddress('127.0.0.1', '5.6.7.8')).to.equal('127.0.0.1');
    expect(none.forwardedSecurely('127.0.0.1', 'https')).to.equal(false);
  });

  it('trusts everybody of a network of all, and one by its full length', () => {
    const all = createProxies(['0.0.0.0/0', '::/0']);
    expect(['203.0.113.9', '2a00::5'].map((peer) => all.clientAddress(peer, '5.6.7.8'))).to.deep.equal([
      '5.6.7.8',
      '5.6.7.8',
    ]);
    const one = createProxies(['192.0.2.7/32', '2a00::5/128']);
    const peers = ['192.0.2.7', '192.0.2.8', '2a00::5', '2a00::6'];
    expect(peers.map((peer) => one.isTrusted(peer))).to.deep.equal([true, false, true, false]);
  });

  it('believes https of a trusted peer, on every hop', () => {
    expect(proxies.forwardedSecurely('10.0.0.1', 'https')).to.equal(true);
    expect(proxies.forwardedSecurely('10.0.0.1', 'https, http')).to.equal(false);
    expect(proxies.forwardedSecurely('203.0.113.9', 'https')).to.equal(false);
    expect(proxies.forwardedSecurely('10.0.0.1', undefined)).to.equal(false);
  });

  it('names every faulty CIDR', () => {
    const faulty = ['10.0.0.0/33', '10.0.0.0/8/8', 'proxy.local', '::1/129', '10.0.0.0/', '10.0.0.0/8'];
    expect(() => createProxies(faulty))
      .to.throw(ConfigError)
      .with.property('faults')
      .that.has.length(5);
  });

  it('knows which hosts are this machine alone', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).to.equal(true);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example'].some(isLoopback)).to.equal(false);
  });

  it('counts one IPv6 subscriber as one', () => {
    expect(addressBlock('192.0.2.1')).to.equal('192.0.2.1');
    expect(addressBlock('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2');
    expect(addressBlock('2001:db8:1:2::6')).to.equal('2001:db8:1:2');
    expect(addressBlock('2001:db8::6')).to.equal('2001:db8:0:0');
    expect(addressBlock('::1')).to.equal('0:0:0:0');
  });
});
