import { expect } from 'chai';
import { isLoopbackHost, isPublicAddress } from '../../../kernel/net/address.ts';

// First and last address of each refused range, and their neighbours outside.
const closed = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.0', '127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.1', '192.88.99.1'],
  ...['192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
  ...['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:7f00:1'],
  ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '100::1', '2001::1', '2001:1ff::1', '2001:db8::1'],
  ...['2002:7f00:1::', '2002:808:808::', '3ffe::1', '3fff:fff::1', '4000::1', '5f00::1'],
  ...['fc00::1', 'fdff::1', 'fe80::1', 'fe80::1%eth0', '2606:4700::1%eth0', 'febf::1', 'fec0::1', 'ff02::1', 'ffff::1'],
  ...['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '010.0.0.1', '8.8.8.8 ', '[::1]', '8.8.8.8/32'],
];

const open = [
  ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
  ...['2000::1', '2001:200::1', '2001:4860:4860::8888', '2003::1', '2606:4700::1111', '3ffd::1', '3fff:1000::1'],
];

describe('the ranges of addresses', () => {
  for (const address of closed)
    it(`refuse ${JSON.stringify(address)}`, () => expect(isPublicAddress(address)).to.equal(false));
  for (const address of open) it(`let ${address} pass`, () => expect(isPublicAddress(address)).to.equal(true));

  it('know this machine by its names', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) expect(isLoopbackHost(host)).to.equal(true);
    for (const host of ['127.example.com', 'localhost.example.com', '10.0.0.1', '[::2]'])
      expect(isLoopbackHost(host)).to.equal(false);
  });
});
