import { randomUUID } from 'node:crypto';
import { PlatformError } from '../../../../kernel/index.ts';
import { authorize } from '../../auth/authenticate.ts';
import { receive, type Intake, type Received } from '../../intake/receive.ts';
import type { LiveSource } from '../registry.ts';

/** Signs the vendor's example with the newest secret and sends it through the intake, marked as a test. */
export async function sendTrial(intake: Intake, source: LiveSource, address: string): Promise<Received> {
  const { vendor, settings, record } = source;
  const now = intake.clock.now();
  const { headers, body } = vendor.fixture(now, randomUUID());
  const raw = Buffer.from(body);
  const [newest] = intake.registry.secretsOf(record.source_id);
  const proof = authorize(vendor, raw, newest?.text, settings.auth, now);
  if (proof === undefined)
    throw new PlatformError(
      'invalid_configuration',
      'the newest secret can only verify: whoever holds the private key must send the test',
    );
  const named =
    settings.delivery_header === undefined ? {} : { [settings.delivery_header.toLowerCase()]: randomUUID() };
  const arrival = { method: 'POST', headers: { ...headers, ...named, ...proof }, query: {}, raw } as const;
  return receive(intake, source, arrival, { address, test: true });
}
