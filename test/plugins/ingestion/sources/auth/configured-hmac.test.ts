import { expect } from 'chai';
import { configuredHmac } from '../../../../../plugins/ingestion/sources/auth/configured-hmac.ts';
import type { AuthSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';

const now = 1_800_000_000_000;
const form = configuredHmac({ scheme: 'hmac', header: 'x-signature' });
const secrets = [{ version: 4, text: 'a secret' }];
const timed: AuthSettings = { scheme: 'signature', timestamp_header: 'X-Time' };

function verify(headers: Record<string, string>, at: number, settings = timed, body = 'body') {
  const arrival = { method: 'POST', headers, query: {}, raw: Buffer.from(body) } as const;
  return form.verify(arrival, secrets, settings, at);
}

describe('a configured signature', () => {
  const signed = (settings = timed) => form.sign(Buffer.from('body'), 'a secret', settings, now) ?? {};

  it('over a time holds for the tolerance, 5 minutes unless the source says otherwise', () => {
    expect(verify(signed(), now)).to.include({ strength: 'strong', secret_version: 4, clock_skew_ms: 0 });
    expect(verify(signed(), now + 300_000)).to.include({ clock_skew_ms: -300_000 });
    expect(verify(signed(), now + 300_001)).to.equal(undefined);
    const patient = { ...timed, tolerance_s: 900 };
    expect(verify(signed(patient), now + 900_000, patient)).to.include({ secret_version: 4 });
    expect(verify(signed(patient), now + 900_001, patient)).to.equal(undefined);
  });

  it('over a time to come holds for a minute', () => {
    expect(verify(signed(), now - 60_000)).to.include({ clock_skew_ms: 60_000 });
    expect(verify(signed(), now - 60_001)).to.equal(undefined);
  });

  it('without its time, with another, or of another body proves nothing', () => {
    const { 'x-time': time = '', ...bare } = signed();
    expect(verify(bare, now)).to.equal(undefined);
    expect(verify({ ...bare, 'x-time': String(Number(time) + 1) }, now)).to.equal(undefined);
    expect(verify({ ...bare, 'x-time': `${time}x` }, now)).to.equal(undefined);
    expect(verify(signed(), now, timed, 'bodY')).to.equal(undefined);
  });

  it('is found among several; ten of them are checked', () => {
    const { 'x-signature': good = '', ...rest } = signed();
    const among = (before: number) => ({ ...rest, 'x-signature': `${'00,'.repeat(before)}${good}` });
    expect(verify(among(9), now)).to.include({ secret_version: 4 });
    expect(verify(among(10), now)).to.equal(undefined);
  });

  it('over the body alone needs no time, and is not taken for one over a time', () => {
    const plain: AuthSettings = { scheme: 'signature' };
    expect(verify(signed(plain), 0, plain)).to.deep.equal({ strength: 'strong', scheme: 'hmac', secret_version: 4 });
    expect(verify({ ...signed(plain), 'x-time': String(now / 1000) }, now)).to.equal(undefined);
  });
});
