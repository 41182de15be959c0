import { expect } from 'chai';
import { checkSecret } from '../../../../../plugins/ingestion/sources/auth/secret.ts';
import type { AuthSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';

const secrets = [
  { version: 1, text: 'old' },
  { version: 2, text: 'new' },
];

function check(
  settings: AuthSettings,
  headers: Record<string, string>,
  query: Record<string, string> = {},
  known: readonly { version: number; text: string }[] = secrets,
) {
  return checkSecret({ method: 'POST', headers, query, raw: new Uint8Array() }, known, settings);
}

describe('a secret that a delivery presents', () => {
  const bearer: AuthSettings = { scheme: 'bearer' };

  it('fits by any of those that are known, and tells which', () => {
    expect(check(bearer, { authorization: 'Bearer new' })).to.deep.equal({
      strength: 'shared_secret',
      scheme: 'bearer',
      secret_version: 2,
    });
    expect(check(bearer, { authorization: 'bearer old' })).to.include({ secret_version: 1 });
    for (const authorization of ['Bearer', 'Bearer ', 'Bearer newer', 'Basic new', 'new'])
      expect(check(bearer, { authorization }), authorization).to.equal(undefined);
  });

  it('in its own header, or as the password of its own user', () => {
    const header: AuthSettings = { scheme: 'header', header: 'X-Secret' };
    expect(check(header, { 'x-secret': 'old' })).to.include({ scheme: 'header', secret_version: 1 });
    expect(check(header, { 'x-orb-token': 'old' })).to.equal(undefined);
    const pair = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:new`).toString('base64')}` });
    expect(check({ scheme: 'basic' }, pair('orb'))).to.include({ scheme: 'basic', secret_version: 2 });
    expect(check({ scheme: 'basic', username: 'ada' }, pair('orb'))).to.equal(undefined);
  });

  it('in the URL is as weak as the address, and counts only where no header is sent', () => {
    const query = { access_token: 'new' };
    expect(check(bearer, {}, query)).to.deep.equal({
      strength: 'url_token',
      scheme: 'access_token',
      secret_version: 2,
    });
    expect(check(bearer, { authorization: 'Bearer wrong' }, query)).to.equal(undefined);
    expect(check(bearer, { authorization: 'Bearer old' }, query)).to.include({ strength: 'shared_secret' });
  });

  it('that is empty proves nothing, even of a source whose secret were empty', () => {
    const empty = [{ version: 1, text: '' }];
    expect(check({ scheme: 'header' }, {}, {}, empty)).to.equal(undefined);
    expect(check(bearer, { authorization: 'Bearer ' }, {}, empty)).to.equal(undefined);
  });

  it('is not found where no secret is known', () => {
    expect(check({ scheme: 'header' }, { 'x-orb-token': 'no such secret' }, {}, [])).to.equal(undefined);
  });
});
