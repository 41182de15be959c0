import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import marketplace from '../../../plugins/marketplace/index.ts';
import { startPlatform } from '../../helpers/platform.ts';
import { writeOrb } from './orbs.ts';
import { createLedgerDouble, type LedgerDouble } from './ledger-double.ts';

/** A platform whose scores a test sets. */
export interface Market {
  readonly url: string;
  readonly home: string;
  readonly adminKey: string;
  readonly ledger: LedgerDouble;
  stop(): Promise<void>;
}

/** Starts the real kernel with the shipped plugins, and a double in the ledger's place; `orbs`: ids of more Orbs. */
export async function startMarket(orbs: readonly string[] = []): Promise<Market> {
  const home = mkdtempSync(join(tmpdir(), 'orb-market-'));
  for (const orbId of orbs) writeOrb(home, orbId);
  const ledger = createLedgerDouble();
  const platform = await startPlatform({ home, plugins: [ledger.plugin, marketplace] });
  return { ...platform, ledger, stop: () => platform.stop() };
}
