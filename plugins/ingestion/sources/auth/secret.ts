import type { Arrival, Proof, Secret } from './proof.ts';
import { equal, mostSecrets } from './hmac.ts';
import type { AuthSettings } from '../settings/schema.ts';

/** Default header of a secret. */
export const secretHeader = 'x-orb-token';

/** Default user of HTTP Basic. */
export const basicUser = 'orb';

/**
 * Checks a static secret in a header, as bearer token or as HTTP Basic; a token in the query proves no more than the
 * URL.
 */
export function checkSecret({ headers, query }: Arrival, secrets: readonly Secret[], settings: AuthSettings) {
  const { scheme } = settings;
  const authorization = headers['authorization'] ?? '';
  if (scheme === 'header') {
    return proof(scheme, 'shared_secret', headers[(settings.header ?? secretHeader).toLowerCase()] ?? '', secrets);
  }
  if (scheme === 'basic') {
    const expected = secrets.map(({ version, text }) => ({
      version,
      text: Buffer.from(`${settings.username ?? basicUser}:${text}`).toString('base64'),
    }));
    return proof(scheme, 'shared_secret', after('basic ', authorization), expected);
  }
  const token = query['access_token'];
  if (authorization === '' && token !== undefined) return proof('access_token', 'url_token', token, secrets);
  return proof('bearer', 'shared_secret', after('bearer ', authorization), secrets);
}

/** Says what is wrong with a delivery without a valid secret, and where its source expects it. */
export function secretFault({ headers, query }: Arrival, settings: AuthSettings): string {
  const { scheme } = settings;
  if (scheme === 'header') {
    const name = (settings.header ?? secretHeader).toLowerCase();
    if (headers[name] === undefined)
      return `this source expects its secret in the header \`${name}\`, and the delivery has no such header`;
    return `the text in the header \`${name}\` is not a secret of this source`;
  }
  const authorization = headers['authorization'];
  const form = scheme === 'basic' ? 'Basic <user:secret in base64>' : 'Bearer <secret>';
  const expected = `this source expects \`Authorization: ${form}\``;
  if (authorization === undefined) {
    if (scheme === 'bearer' && query['access_token'] !== undefined)
      return 'the text of `access_token` in the address is not a secret of this source';
    return `${expected}, and the delivery has no header \`authorization\``;
  }
  if (after(`${scheme} `, authorization) === '')
    return `${expected}, and the header \`authorization\` has another form`;
  const wrong = scheme === 'basic' ? 'the user or the secret' : 'the secret';
  return `${wrong} in the header \`authorization\` is not of this source`;
}

function after(prefix: string, header: string): string {
  return header.slice(0, prefix.length).toLowerCase() === prefix ? header.slice(prefix.length).trim() : '';
}

function proof(scheme: string, strength: Proof['strength'], presented: string, secrets: readonly Secret[]) {
  let found: number | undefined;
  for (let index = 0; index < mostSecrets; index++) {
    const secret = secrets[index];
    const fits = equal(presented, secret?.text ?? 'no such secret');
    if (fits && secret !== undefined && presented !== '') found ??= secret.version;
  }
  return found === undefined ? undefined : { strength, scheme, secret_version: found };
}

/** Makes the headers that present a secret, for test deliveries. */
export function presentSecret(secret: string, settings: AuthSettings): Record<string, string> {
  if (settings.scheme === 'header') return { [(settings.header ?? secretHeader).toLowerCase()]: secret };
  if (settings.scheme === 'bearer') return { authorization: `Bearer ${secret}` };
  if (settings.scheme !== 'basic') return {};
  const pair = Buffer.from(`${settings.username ?? basicUser}:${secret}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}
