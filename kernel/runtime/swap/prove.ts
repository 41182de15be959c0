import type { Orb } from '../catalog/orb.ts';
import { unfitFor } from '../provider/definitions.ts';
import type { Transport } from '../provider/transport.ts';
import { invalidProvider } from './refusals.ts';

/**
 * Opens a new provider and proves it, with the time limit of real calls and without an effect. Throws what the adapter
 * throws, and 422 `invalid_provider` when it offers another tool than the Orb stands for.
 */
export async function prove(orb: Orb, transport: Transport, { probing }: { probing(): void }): Promise<void> {
  await transport.open(orb.manifest.timeout_ms);
  probing();
  await transport.probe(orb.manifest.timeout_ms);
  transport.health.probed(true, 'probe');
  const unfit = unfitFor(orb, transport.provider, transport);
  if (unfit !== undefined) throw invalidProvider(unfit);
}
