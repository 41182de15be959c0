import { given, type Awaitable, type Ids, type Operation } from '../../../../kernel/index.ts';
import type { AlertEvent } from '../model/event.ts';
import type { Act } from '../model/record.ts';
import type { Engine } from '../engine/engine.ts';
import { findingEvent } from '../watches/integrity.ts';
import { lostEvent } from '../watches/lost.ts';
import { definitionEvent } from '../watches/definitions.ts';
import { troubleEvent } from '../watches/troubles.ts';
import type { IncidentReads } from '../store/reading.ts';
import { refuseUnfit } from './fit.ts';
import type { IncidentRequest } from '../model/request.ts';

/** Carries out a request, and commits operations with it. */
export type CarryOut = (request: IncidentRequest, along: readonly Operation[]) => Promise<void>;

/** Makes the function that carries requests out; only the node that folds incidents may call it. */
export function carryingOut(parts: {
  readonly engine: Pick<Engine, 'add' | 'decide'>;
  readonly reads: IncidentReads;
  readonly ids: Ids;
}): CarryOut {
  const { engine, ids } = parts;
  return (request, along) => {
    if (request.kind !== 'decide') return engine.add(() => eventOf(request, parts), along);
    const { decision, incident_id } = request;
    const { kind, principal, reason } = decision;
    const actOf = (record: Parameters<typeof refuseUnfit>[1], at_ms: number): Act => {
      refuseUnfit(kind, record);
      return { act_id: ids('sig'), incident_id, kind, at_ms, principal, ...given({ reason }) };
    };
    return engine.decide(incident_id, actOf, along);
  };
}

// Several nodes may request the same: a recorded change makes no further event.
function eventOf(
  request: Exclude<IncidentRequest, { kind: 'decide' }>,
  parts: { readonly reads: IncidentReads; readonly ids: Ids },
): Awaitable<AlertEvent | undefined> {
  if (request.kind === 'open') return request.event;
  if (request.kind === 'trouble') return troubleEvent(request.trouble, parts);
  if (request.kind === 'finding') return findingEvent(request.finding, parts);
  if (request.kind === 'lost') return lostEvent(request, parts);
  return definitionEvent(request.definition, parts);
}
