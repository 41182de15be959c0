import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtin } from '../../../kernel/builtin.ts';
import { readConfig } from '../../../kernel/boot/config.ts';
import { createKernel } from '../../../kernel/kernel.ts';
import { load } from '../../../kernel/boot/loader.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import marketplace from '../../../plugins/marketplace/index.ts';
import { strictResponse } from '../../helpers/http.ts';
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
  const plugins = [
    ...builtin.plugins.filter(({ name }) => name !== 'ledger' && name !== 'marketplace'),
    ledger.plugin,
    marketplace,
  ];
  const read = async () => {
    const faults: string[] = [];
    const config = readConfig({ ORB_HOME: home, ORB_LISTEN: '127.0.0.1:0', ORB_LOG_LEVEL: 'error' }, home, faults);
    return { config, loaded: await load(config, { ...builtin, plugins }, faults) };
  };
  const { config, loaded } = await read();
  const kernel = await createKernel({ config, loaded, reread: read, log: silentLog, checkResponse: strictResponse });
  return {
    url: kernel.listeners[0]?.url ?? '',
    home,
    adminKey: readFileSync(join(config.stateDir, 'admin.key'), 'utf8').trim(),
    ledger,
    async stop() {
      await kernel.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
