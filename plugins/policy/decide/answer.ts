import type { AccessRequest, Decision, Store } from '../../../kernel/index.ts';
import type { Decided, Decider } from './decider.ts';
import { recordOf } from './record.ts';

/** Answers the hook `authorize`: the verdict, its id, and the row that commits with what was decided. */
export function answering(decider: Decider, store: Store): (request: AccessRequest) => Decision | Promise<Decision> {
  const answer = (request: AccessRequest, decided: Decided): Decision | Promise<Decision> => {
    const decision_id = String(request.context['decision_id']);
    const record = recordOf(request, decided);
    const decision: Decision = { ...decided.verdict, decision_id, record };
    // A denied run has a receipt; a denied swap or publish has nothing that its row could commit with.
    if (decision.allow || request.action.name === 'execute') return decision;
    return store.write([record({})]).then(() => decision);
  };
  return (request) => {
    const decided = decider.decide(request);
    return decided instanceof Promise ? decided.then((known) => answer(request, known)) : answer(request, decided);
  };
}
