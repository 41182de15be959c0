import type { Answer } from '../../vendor/http/client.ts';
import { refusal, type Vendor } from '../../vendor/http/refusal.ts';

/**
 * Reads the answer to a message without a recipient, which cannot be sent: a vendor that rejects it has accepted the
 * login. Throws ProviderError for every other answer.
 */
export function expectRejection(vendor: Vendor, answer: Answer): void {
  const refused = refusal(vendor, answer);
  if (refused.outcome !== 'rejected') throw refused;
}
