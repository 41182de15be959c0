import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Log } from '../../tools/log.ts';
import { every } from '../../tools/every.ts';

/** Certificate and key of a listener, PEM texts. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Certificate and key of a listener that serves HTTPS. */
export interface CertificateSource extends Certificate {
  /** Reads both again from their source. Throws when they cannot be read. */
  readonly reread?: () => Certificate;
}

/** TLS settings of every certificate. */
export const tlsVersions = { minVersion: 'TLSv1.2' } as const;

const everyMs = 2000;

/**
 * Reads the certificate of a server every 2 s until the server is closed, and serves a changed one to new connections.
 * If the pair cannot be read or does not fit, that is logged once and the old one stays.
 */
export function followCertificate(
  server: Server,
  { reread, ...first }: CertificateSource,
  { address, log }: { readonly address: string; readonly log: Log },
): void {
  if (reread === undefined) return;
  let known: Certificate = first;
  let told = '';
  const look = (): void => {
    const { cert, key } = reread();
    const next = { cert, key };
    if (cert !== known.cert || key !== known.key) {
      // Checked separately: the server would keep one half of a pair that does not fit.
      createSecureContext({ ...next, ...tlsVersions });
      server.setSecureContext({ ...next, ...tlsVersions });
      known = next;
      log.info({ address }, 'the listener serves the changed TLS certificate');
    }
    told = '';
  };
  const failed = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== told)
      log.warn({ address, reason }, 'the changed TLS certificate cannot be used; the listener serves the old one');
    told = reason;
  };
  server.once('close', every(everyMs, look, failed));
}
