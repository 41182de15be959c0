import { given, PlatformError, type Awaitable, type Operation } from '../../../../kernel/index.ts';
import type { AlertEvent } from '../model/event.ts';
import type { Act, IncidentRecord } from '../model/record.ts';
import type { Engine } from '../engine/engine.ts';
import { findingEvent } from '../watches/integrity.ts';
import { lostEvent } from '../watches/lost-entries.ts';
import { definitionEvent } from '../watches/definitions.ts';
import { troubleEvent } from '../watches/troubles.ts';
import type { IncidentScope } from '../store/scope.ts';
import { problems } from '../../problems.ts';
import type { IncidentRequest } from '../model/request.ts';

/** Carries out a request, and commits operations with it. */
export type CarryOut = (request: IncidentRequest, along: readonly Operation[]) => Promise<void>;

type Reported = Exclude<IncidentRequest, { kind: 'decide' }>;

/** Makes the function that carries requests out; only the node that folds incidents may call it. */
export function carryingOut(scope: IncidentScope, engine: Pick<Engine, 'add' | 'decide'>): CarryOut {
  return (request, along) => {
    if (request.kind !== 'decide') return engine.add(() => eventOf(request, scope), along);
    const { decision, incident_id } = request;
    const { kind, principal, reason } = decision;
    const actOf = (record: IncidentRecord, at_ms: number): Act => {
      refuseUnfit(kind, record);
      return { act_id: scope.ids('sig'), incident_id, kind, at_ms, principal, ...given({ reason }) };
    };
    return engine.decide(incident_id, actOf, along);
  };
}

// Several nodes may request the same: a recorded change makes no further event.
function eventOf(request: Reported, scope: IncidentScope): Awaitable<AlertEvent | undefined> {
  if (request.kind === 'open') return request.event;
  if (request.kind === 'trouble') return troubleEvent(request.trouble, scope);
  if (request.kind === 'finding') return findingEvent(request.finding, scope);
  if (request.kind === 'lost') return lostEvent(request.lost, request.at, scope);
  return definitionEvent(request.definition, scope);
}

/** Throws if the state of an incident does not allow the decision of a person. */
function refuseUnfit(kind: Act['kind'], { incident_id, kind: raised, facts, retracted }: IncidentRecord): void {
  // One without a receipt says that entries of the log are lost: no audit can find them again.
  if (raised === 'integrity' && facts.receipt_id !== undefined && kind !== 'acknowledged')
    throw new PlatformError(
      problems.integrity_incident,
      `the incident ${incident_id} reports that the receipt ${facts.receipt_id} does not verify; the auditor closes it when the receipt verifies`,
    );
  if (retracted) throw new PlatformError(problems.incident_conflict, `the incident ${incident_id} is retracted`);
  if (facts.state === 'resolved' && kind !== 'retracted')
    throw new PlatformError(problems.incident_conflict, `the incident ${incident_id} is resolved`);
}
