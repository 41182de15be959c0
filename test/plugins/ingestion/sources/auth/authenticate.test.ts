import { expect } from 'chai';
import { authenticate, authorize } from '../../../../../plugins/ingestion/sources/auth/authenticate.ts';
import type { AuthSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';

const secrets = [
  { version: 1, text: 'first' },
  { version: 2, text: 'second' },
];
const body = Buffer.from('{"a":1}');
const now = Date.UTC(2026, 10, 21);
const { github, alertmanager } = vendors;
const bearer = { authorization: 'Bearer second' };

const check = (vendor: typeof github, scheme: AuthSettings['scheme'], headers: Record<string, string>) =>
  authenticate(vendor, { method: 'POST', headers, query: {}, raw: body }, secrets, { scheme }, now);

describe('what a delivery proves', () => {
  it('is its address alone where the source asks for no more, whatever it bears', () => {
    expect(check(github, 'url', bearer)).to.deep.equal({ strength: 'url_token', scheme: 'url' });
  });

  it('is a secret under a scheme of secrets, also of a vendor that signs', () => {
    expect(check(github, 'bearer', bearer)).to.include({ scheme: 'bearer', secret_version: 2 });
  });

  it('is a signature under that scheme, and nothing by a secret there', () => {
    const headers = authorize(github, body, 'second', { scheme: 'signature' }, now) ?? {};
    expect(check(github, 'signature', headers)).to.include({ strength: 'strong', secret_version: 2 });
    expect(check(github, 'signature', bearer)).to.equal(undefined);
  });

  it('is nothing by a signature of a vendor that does not sign', () => {
    expect(check({ ...alertmanager, signature: undefined } as never, 'signature', bearer)).to.equal(undefined);
  });

  const rows = [
    { name: 'nothing for an address', scheme: 'url', secret: undefined, headers: {} },
    { name: 'nothing for an address, even with a secret', scheme: 'url', secret: 'first', headers: {} },
    { name: 'none without a secret to present', scheme: 'bearer', secret: undefined, headers: undefined },
    { name: 'none without a secret to sign with', scheme: 'signature', secret: undefined, headers: undefined },
    { name: 'the secret', scheme: 'bearer', secret: 'first', headers: { authorization: 'Bearer first' } },
  ] as const;
  for (const { name, scheme, secret, headers } of rows)
    it(`is shown in a test delivery: ${name}`, () => {
      expect(authorize(github, body, secret, { scheme }, now)).to.deep.equal(headers);
    });
});
