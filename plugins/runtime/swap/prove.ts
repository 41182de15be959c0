import type { Orb } from '../catalog/orb.ts';
import type { Transport } from '../provider/transport.ts';

/**
 * Opens a new provider and proves it, with the time limit of real calls and without an effect. Throws what the adapter
 * throws; answers why it cannot serve the Orb all the same, if it offers another tool than the Orb represents.
 */
export async function prove(
  orb: Orb,
  transport: Transport,
  { probing }: { probing(): void },
): Promise<string | undefined> {
  await transport.prove(orb.manifest.timeout_ms, probing);
  return transport.unfitFor(orb);
}
