import type { RunFacts, RunPredicate } from '../../../plugins/receipts/contract.ts';
import type { Scored } from '../../../plugins/receipts/format/score.ts';
import { vectorStatement } from './sample.ts';

/** One attempt of a run. */
export type Attempt = RunFacts['attempts'][number];
/** Facts that differ from those of the vector run. */
export type Overrides = Partial<Omit<RunFacts, 'policy' | 'orb' | 'schema' | 'action'>> & {
  policy?: Partial<RunFacts['policy']>;
  orb?: Partial<RunFacts['orb']>;
  schema?: Partial<RunFacts['schema']>;
  action?: Partial<RunFacts['action']>;
};

/** Makes an attempt. */
export const attempt = (
  provider: string,
  outcome: Attempt['outcome'] = 'accepted',
  more: Partial<Attempt> = {},
): Attempt => ({
  provider,
  adapter: 'email/smtp',
  generation: 1,
  config_digest: `sha256:${'0'.repeat(64)}`,
  outcome,
  latency_ms: 10,
  ...more,
});

/** Makes a run: provider up, schemas valid, objective met, tier none, unsigned, one attempt, accepted, but for what is given. */
export function run(
  overrides: Overrides = {},
  more: Partial<Pick<RunPredicate, 'status' | 'execution_ms'>> = {},
): Scored {
  const { latency: objective, ...base } = vectorStatement().predicate.facts;
  const { policy, orb, schema, action, ...plain } = overrides;
  const latency = 'latency' in overrides ? undefined : objective;
  return {
    status: 'completed',
    execution_ms: 342,
    ...more,
    facts: {
      ...base,
      ...(latency === undefined ? {} : { latency }),
      attempts: [attempt('smtp-main')],
      ...plain,
      policy: { ...base.policy, ...policy },
      orb: { ...base.orb, ...orb },
      schema: { ...base.schema, ...schema },
      action: { ...base.action, ...action },
    },
  };
}
