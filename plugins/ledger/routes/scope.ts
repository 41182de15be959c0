import type { PluginScope } from '../../../kernel/index.ts';
import type { TransparencyLog } from '../../receipts/contract.ts';
import type { Opened } from '../open.ts';
import type { Sight } from './visible.ts';
import type { Runtime } from '../../runtime/contract.ts';

/** What the ledger's routes need. */
export interface RouteScope extends Opened, Pick<PluginScope<unknown, never>, 'clock' | 'platform'> {
  readonly runtime: Pick<Runtime, 'catalog'>;
  readonly log: TransparencyLog;
  readonly sight: Sight;
}
