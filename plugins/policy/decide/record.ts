import { operation, textOf, type AccessRequest, type Operation } from '../../../kernel/index.ts';
import type { Decided } from './decider.ts';
import policyStore from '../store.ts';

/** What a decision's row is committed with. */
export interface CommittedWith {
  readonly run_id?: string;
  readonly receipt_id?: string;
}

/** Makes the row of a decision: the envelope without `inputs`, which the receipt commits to. */
export function recordOf(request: AccessRequest, decided: Decided): (committed: CommittedWith) => Operation {
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
