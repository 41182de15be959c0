import {
  operation,
  textOf,
  type AccessRequest,
  type Decision,
  type Operation,
  type Store,
} from '../../../kernel/index.ts';
import type { Decided, Decider } from './decider.ts';
import policyStore from '../store.ts';

/** The receipt fields that a decision's row is committed with. */
interface CommittedWith {
  readonly run_id?: string;
  readonly receipt_id?: string;
}

// Makes the row of a decision: the envelope without `inputs`, because the receipt commits to the inputs.
function recordOf(request: AccessRequest, decided: Decided): (committed: CommittedWith) => Operation {
  return ({ run_id = null, receipt_id = null }: { run_id?: string | null; receipt_id?: string | null }) => {
    const { subject, action, resource, context } = request;
    const { verdict, cached, duration_us, entrypoint } = decided;
    const { allow, revision = null, policies, reasons, warns, shadow_denies } = verdict;
    const about = JSON.stringify({ entrypoint, cached, duration_us, policies, reasons, warns, shadow_denies });
    const asked = `"subject":${textOf(subject)},"action":${textOf(action)},"resource":${textOf(resource)}`;
    const rest = JSON.stringify({ ...context, inputs: undefined });
    return operation(policyStore, 'decide', {
      decision_id: String(context['decision_id']),
      tenant: subject.tenant,
      at: String(context['time']),
      action: action.name,
      allow,
      orb_id: resource.id,
      principal: subject.id,
      revision,
      run_id,
      receipt_id,
      record: `${about.slice(0, -1)},"input":{${asked},"context":${rest}}}`,
    });
  };
}

/** Makes the tap of the hook `authorize`: returns the verdict, its id, and the row to commit with the decided run. */
export function answering(decider: Decider, store: Store): (request: AccessRequest) => Decision | Promise<Decision> {
  const answer = (request: AccessRequest, decided: Decided): Decision | Promise<Decision> => {
    const decision_id = String(request.context['decision_id']);
    const record = recordOf(request, decided);
    const decision: Decision = { ...decided.verdict, decision_id, record };
    // A denied run has a receipt to commit with; a denied swap or publish has none, so its row is written here.
    if (decision.allow || request.action.name === 'execute') return decision;
    return store.write([record({})]).then(() => decision);
  };
  return (request) => {
    const decided = decider.decide(request);
    return decided instanceof Promise ? decided.then((known) => answer(request, known)) : answer(request, decided);
  };
}
