import type { AwaitedReads, PluginScope } from '../../../../kernel/index.ts';
import type { Reputation } from '../../../ledger/contract.ts';
import type { Auditor, TransparencyLog } from '../../../receipts/contract.ts';
import type { Runtime } from '../../../runtime/contract.ts';
import type { DeliveryReads } from '../../deliveries/reading.ts';
import type { Ask } from '../model/request.ts';
import type { IncidentReads } from './reading.ts';

type PluginParts = 'calls' | 'clock' | 'hooks' | 'ids' | 'log' | 'metrics' | 'platform' | 'publicUrl' | 'store';

/** What incidents work with: the scope of the plugin, its services, and the reads of incidents and deliveries. */
export interface IncidentScope extends Pick<PluginScope<unknown, never>, PluginParts> {
  readonly reads: IncidentReads;
  /** Reads that may be long: they must not keep the serving thread. */
  readonly lists: Pick<AwaitedReads<IncidentReads>, 'list' | 'titles'> &
    Pick<IncidentReads, 'betweenNoted' | 'history' | 'windows'>;
  /** The recorded signals and their deliveries. */
  readonly signals: Pick<DeliveryReads, 'lastSeen' | 'namedBy' | 'signalsAt' | 'evidenceOfEach'>;
  readonly transparency: Pick<TransparencyLog, 'verifies' | 'positions' | 'heads' | 'lostBefore' | 'onAppend'>;
  readonly auditor: Auditor;
  readonly runtime: Runtime;
  /** Absent: incidents do not affect scores. */
  readonly ledger?: Pick<Reputation, 'incidentDebts'>;
}

/** What asks for changes of incidents. */
export interface AskScope extends IncidentScope {
  /** The way to the node that folds incidents. */
  readonly ask: Ask;
}
