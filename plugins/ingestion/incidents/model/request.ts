import type { AuditFinding, LostEntries } from '../../../receipts/contract.ts';
import type { Trouble } from '../../contract.ts';
import type { Act } from './record.ts';
import type { AlertEvent } from './event.ts';
import type { DefinitionChanged } from '../../../runtime/contract.ts';

/** A request to the node that folds incidents; plain values, because it may come from another node. */
export type IncidentRequest =
  | { readonly kind: 'open'; readonly event: AlertEvent }
  | ({ readonly kind: 'decide'; readonly incident_id: string } & { readonly decision: Decision })
  | { readonly kind: 'trouble'; readonly trouble: TimedTrouble }
  | { readonly kind: 'finding'; readonly finding: AuditFinding }
  | { readonly kind: 'lost'; readonly lost: LostEntries; readonly at: string }
  | { readonly kind: 'definition'; readonly definition: DefinitionChanged };

/** A trouble that a plugin reported, and when. */
export interface TimedTrouble extends Trouble {
  /** Milliseconds since the Unix epoch. */
  readonly occurred_ms: number;
}

/** Asks for a change of incidents, and resolves when it is committed. Rejects with the problem that prevented it. */
export type Ask = (request: IncidentRequest) => Promise<void>;

/** A person's decision about an incident, as it is asked for. */
export type Decision = Pick<Act, 'kind' | 'principal' | 'reason'>;
