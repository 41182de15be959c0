import { createHash, createHmac } from 'node:crypto';
import type { Call } from '../../vendor/http/client.ts';

/** Credentials that sign; `session_token` belongs to temporary credentials. */
export interface AwsCredentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
}

/**
 * Returns the headers of a request with its signature added: `x-amz-date`, `authorization`, and the session token if
 * there is one (AWS Signature Version 4, header form). The headers name the `host`; the path has no query and needs no
 * encoding.
 */
export function signed(
  request: Omit<Call, 'method'> & { readonly method: string },
  credentials: AwsCredentials,
  { region, service, now }: { readonly region: string; readonly service: string; readonly now: Date },
): Readonly<Record<string, string>> {
  const time = now.toISOString().replaceAll(/[:-]|\.\d{3}/gu, '');
  const day = time.slice(0, 8);
  const token = credentials.session_token;
  const headers: Readonly<Record<string, string>> = {
    ...request.headers,
    'x-amz-date': time,
    ...(token === undefined ? {} : { 'x-amz-security-token': token }),
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/gu, ' ')}\n`).join('');
  const canonical = [request.method, request.path, '', lines, names.join(';'), sha256(request.body ?? '')].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    hmac,
    `AWS4${credentials.secret_access_key}`,
  );
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  const credential = `Credential=${credentials.access_key_id}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
