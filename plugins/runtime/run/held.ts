import type { Decided, Run } from '../dispatch/run-record.ts';
import type { Ask, HeldEnd, HeldRun } from '../facts/held.ts';
import { deniedEnding, type Ending } from '../outcome/outcome.ts';
import { given, PlatformError, type Decision } from '../../../kernel/index.ts';
import type { Denied } from '../../../kernel/runner.ts';

/** A run that people must approve first; nothing was sent. Who cannot hold it answers this problem. */
export class ApprovalRequired extends PlatformError {
  readonly run: Decided;

  constructor(run: Decided) {
    super('approval_required', deniedEnding(run.decision).detail);
    this.run = run;
  }
}

/** Lists what a decision asks of people. */
export function asksOf({ asks = [] }: Decision): readonly Ask[] {
  return asks;
}

/** Describes a run as people approve it. */
export function heldRunOf(run: Run, { revision }: Pick<Decision, 'revision'> = {}): HeldRun {
  const { run_id, orb_id, orbiset_id, principal, mode, orb, delivery = 'at_most_once', order, inputs_text } = run;
  return {
    ...{ run_id, orb_id, orbiset_id, principal: principal.id, mode, manifest_digest: orb.digest, delivery },
    providers: order.map(({ provider: { name, config_digest } }) => ({ name, config_digest })),
    ...(revision === undefined ? {} : { revision }),
    inputs: inputs_text,
    salt: run.waited?.approval?.salt,
  };
}

const details: Readonly<Record<HeldEnd, string>> = {
  approval_refused: 'a person refused the run; nothing was sent',
  approval_expired: 'nobody approved the run in time; nothing was sent',
  approval_backlog: 'too many runs wait for the people who must approve it; nothing was sent, call again later',
  approval_required: 'people must approve the run, and it was not held for them; nothing was sent',
};

/** Makes the end of a run that people did not approve. */
export function heldEnding(why: HeldEnd): Ending {
  const later = why === 'approval_backlog' ? { retry_after: 60 } : {};
  return { status: 'denied', outcome: 'denied', code: why, reason: why, detail: details[why], ...later };
}

/** Makes the denial of a run that people did not approve, of the decision that asked. */
export function heldDenial(asked: Decision, why: HeldEnd): Denied {
  const { decision_id, accepted_decision_id = decision_id, revision, policies } = asked;
  return {
    allow: false,
    ...(accepted_decision_id === undefined ? {} : { accepted_decision_id }),
    ...(revision === undefined ? {} : { revision }),
    policies,
    reasons: [
      { code: why },
      ...asksOf(asked).map(({ code, message, policies: [policy] }) => ({ code, message, ...given({ policy }) })),
    ],
    warns: 0,
    shadow_denies: 0,
  };
}

/**
 * Makes the decision of a run that ended before people decided, and was not denied: a policy that asks allows under a
 * condition, which the approval in the receipt shows to be open.
 */
export function conditional(decision: Decision): Decision {
  const { asks, reasons: _, ...rest } = decision;
  return asks === undefined ? decision : { ...rest, allow: true };
}
