import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Trusts the CA of a PEM file beside those that are trusted anyway, for all that this process connects to. */
export function trustCa(file: string): void {
  try {
    const pem = readFileSync(file, 'utf8');
    // Refuses what is no certificate: below it would be passed over.
    new X509Certificate(pem);
    setDefaultCACertificates([...getCACertificates('default'), pem]);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`--ca ${file}: ${code ?? message}`, { cause: error });
  }
}
