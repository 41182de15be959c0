import { connect } from 'node:tls';
import { within, type Clock } from '../../kernel/index.ts';
import { concernOf, type Concern } from '../runtime/contract.ts';

const dayMs = 86_400_000;
const patienceMs = 5000;
const againMs = 60_000;

/** Says how soon something ends: it is told first two weeks before, and once more two days before. */
export function expiresSoon(endsAt: number, now: number): 'in 14 days' | 'in 2 days' | undefined {
  if (!(endsAt - now < 14 * dayMs)) return undefined;
  return endsAt - now < 2 * dayMs ? 'in 2 days' : 'in 14 days';
}

/**
 * Makes the concern of the certificate that visitors of an address get, also from a proxy in front of it. It is read
 * once a minute.
 */
export function certificateOf(
  address: string,
  clock: Pick<Clock, 'monotonic'>,
  failed: (err: unknown) => void,
): Concern {
  const url = new URL(address);
  let readAt = -Infinity;
  let end: number | undefined;
  return {
    ...{ name: 'public_certificate', scope: '*', link: '' },
    async find() {
      if (url.protocol !== 'https:') return concernOf([]);
      if (clock.monotonic() - readAt >= againMs) {
        readAt = clock.monotonic();
        end = await endOf(url).catch((error: unknown) => void failed(error));
      }
      // One that could not be read may still expire.
      if (end === undefined) return concernOf([], { next: url.host });
      return concernOf([{ id: url.host, title: url.host, at: new Date(end).toISOString() }]);
    },
  };
}

// An expired certificate is read, too: nothing is sent on the connection.
async function endOf({ hostname, port }: URL): Promise<number> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const server = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...server });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  socket.once('secureConnect', () => resolve(Date.parse(socket.getPeerCertificate().valid_to)));
  socket.on('error', reject);
  return within(patienceMs, promise).finally(() => socket.destroy());
}
