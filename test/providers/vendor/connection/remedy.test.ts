import { expect } from 'chai';
import {
  connectionRemedy,
  failureCode,
  failurePhase,
  hostAndPort,
} from '../../../../providers/vendor/connection/remedy.ts';

const names = { address: '`host`', timeout: '`timeout_ms`', authority: 'put it into `ca`' };

describe('what to change after a connection failed', () => {
  for (const [code, sentence] of [
    ['ECONNREFUSED', 'the connection was refused: check `host`'],
    ['ENOTFOUND', 'the name of the host is unknown: check `host`'],
    ['EAI_AGAIN', 'the name of the host is unknown: check `host`'],
    ['EDNS', 'the name of the host is unknown: check `host`'],
    ['EHOSTUNREACH', 'there is no route to the host: check `host`'],
    ['CERT_HAS_EXPIRED', 'the certificate of the server has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another name: put that name into `host`'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is not trusted: put it into `ca`'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is not trusted: put it into `ca`'],
    ['EPROTO', 'does not speak TLS at this address: check `host`'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS at this address: check `host`'],
    ['UND_ERR_CONNECT_TIMEOUT', 'did not answer in time: check `host` and the firewall, or raise `timeout_ms`'],
    ['ETIMEDOUT', 'did not answer in time: check `host` and the firewall, or raise `timeout_ms`'],
  ] as const)
    it(`names the setting: ${code}`, () => expect(connectionRemedy(code, names)).to.include(sentence));

  it('names the variable of the process where the adapter has no setting for an authority', () => {
    const { authority: _, ...rest } = names;
    expect(connectionRemedy('SELF_SIGNED_CERT_IN_CHAIN', rest)).to.include('NODE_EXTRA_CA_CERTS');
  });

  it('names the host and the port that were tried, and the setting of the host alone for its name', () => {
    const tried = { ...names, host: '`name`', tried: '127.0.0.1:25' };
    expect(connectionRemedy('ECONNREFUSED', tried)).to.match(/check `host`.*; tried: 127\.0\.0\.1:25$/);
    expect(connectionRemedy('ENOTFOUND', tried)).to.include('check `name`, and the DNS');
    expect(connectionRemedy('ECONNRESET', tried)).to.equal('tried: 127.0.0.1:25');
  });

  for (const [url, read] of [
    ['https://user:secret@api.example.org/path?key=secret', 'api.example.org:443'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080'],
    ['http://[::1]/', '[::1]:80'],
    ['no address', undefined],
  ] as const)
    it(`reads host and port alone from ${url}`, () => expect(hostAndPort(url)).to.equal(read));

  it('is unknown for other codes, and without one', () => {
    expect([connectionRemedy('ECONNRESET', names), connectionRemedy(undefined, names)]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });
});

describe('the code of a failed connection', () => {
  it('is shown only as a code, never as a text', () => {
    expect(failureCode(Object.assign(new Error('at 10.0.0.1'), { code: 'ECONNRESET' }))).to.equal('ECONNRESET');
    for (const code of ['no code', 42, undefined])
      expect(failureCode(Object.assign(new Error(), { code }))).to.equal(undefined);
    expect(failureCode('ECONNRESET')).to.equal(undefined);
  });

  it('names the phase in which the connection failed', () => {
    expect(['ENOTFOUND', 'EPROTO', 'UND_ERR_CLOSED', 'ECONNREFUSED', undefined].map(failurePhase)).to.deep.equal([
      ...['dns', 'tls', 'pool', 'connect', 'connect'],
    ]);
  });
});
