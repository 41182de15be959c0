import { PlatformError, type Fault } from '../../../kernel/index.ts';
import { secretHeader } from '../auth/secret.ts';
import { publicKey, symmetricKey } from '../auth/standard.ts';
import { vendors } from '../vendors/index.ts';
import { authOf } from './source.ts';
import type { SourceRecord } from './schema.ts';

/** Throws 422 `invalid_body` when the parts of a source do not fit each other. */
export function checkSource(record: Omit<SourceRecord, 'source_id'>): void {
  const { schemes } = vendors[record.vendor];
  const { scheme, header = secretHeader, signed, timestamp_header } = authOf(record);
  const faults: Fault[] = [];
  if (!schemes.includes(scheme))
    faults.push({ pointer: '#/auth/scheme', detail: `must be one of ${schemes.join(', ')} for ${record.vendor}` });
  if (signed !== undefined && signed !== 'body' && timestamp_header === undefined)
    faults.push({ pointer: '#/auth/timestamp_header', detail: 'must name the header of the signed time' });
  const authenticating = ['authorization', 'cookie', 'proxy-authorization', ...(scheme === 'header' ? [header] : [])];
  if (authenticating.some((name) => name.toLowerCase() === record.delivery_header?.toLowerCase()))
    faults.push({ pointer: '#/delivery_header', detail: 'must not be a header that authenticates: it is stored' });
  refuse(faults);
}

/** Throws 422 `invalid_body` when a secret cannot serve the source. */
export function checkSecretText(record: Pick<SourceRecord, 'vendor' | 'auth'>, text: string): void {
  const { scheme } = authOf(record);
  const detail =
    scheme === 'url'
      ? 'must be absent: the source has no secret but its address'
      : record.vendor === 'standard-webhooks' && symmetricKey(text) === undefined && publicKey(text) === undefined
        ? 'must be whsec_… (24 to 64 bytes of base64) or whpk_… (32 bytes)'
        : scheme !== 'signature' && !/^[\x21-\x7e]{16,}$/.test(text)
          ? 'must have at least 16 characters of ASCII without spaces: it is sent as it is'
          : undefined;
  refuse(detail === undefined ? [] : [{ pointer: '#/secret', detail }]);
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const text = faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new PlatformError('invalid_body', `the body does not fit: ${text}`, { errors: faults });
}
