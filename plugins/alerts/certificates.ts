import { connect } from 'node:tls';
import { within, type Clock } from '../../kernel/index.ts';

/** When the certificate of a host ends, ms; undefined: it could not be read. */
export interface CertificateEnd {
  readonly host: string;
  readonly ends_at: number | undefined;
}

/** Reads the certificates of the public addresses, as their visitors get them; never rejects. */
export type CertificateReader = () => Promise<readonly CertificateEnd[]>;

const dayMs = 86_400_000;
const patienceMs = 5000;
const againMs = 60_000;

/** Says how soon something ends: it is told first two weeks before, and once more two days before. */
export function expiresSoon(endsAt: number, now: number): 'in 14 days' | 'in 2 days' | undefined {
  if (!(endsAt - now < 14 * dayMs)) return undefined;
  return endsAt - now < 2 * dayMs ? 'in 2 days' : 'in 14 days';
}

/** Makes the reader of certificates: it asks each address once a minute, a proxy in front of it too. */
export function certificateReader(
  addresses: readonly string[],
  clock: Pick<Clock, 'monotonic'>,
  failed: (host: string, err: unknown) => void,
): CertificateReader {
  const urls = [...new Set(addresses)].map((one) => new URL(one)).filter(({ protocol }) => protocol === 'https:');
  let last: { readonly at: number; readonly read: readonly CertificateEnd[] } | undefined;
  return async () => {
    if (last !== undefined && clock.monotonic() - last.at < againMs) return last.read;
    const read = urls.map(async (url): Promise<CertificateEnd> => {
      const ends_at = await endOf(url).catch((error: unknown) => void failed(url.host, error));
      return { host: url.host, ends_at: ends_at === undefined || Number.isNaN(ends_at) ? undefined : ends_at };
    });
    last = { at: clock.monotonic(), read: await Promise.all(read) };
    return last.read;
  };
}

// An expired certificate is read, too: nothing is sent on the connection.
async function endOf({ hostname, port }: URL): Promise<number> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isAddress = /^[\d.]+$|:/.test(host);
  const socket = connect({
    ...{ host, port: Number(port || 443), rejectUnauthorized: false },
    ...(isAddress ? {} : { servername: host }),
  });
  const opened = new Promise<number>((resolve, reject) => {
    socket.once('secureConnect', () => resolve(Date.parse(socket.getPeerCertificate().valid_to)));
    socket.on('error', reject);
  });
  return within(patienceMs, opened).finally(() => socket.destroy());
}
