import { exactly, optional } from '../../kernel/index.ts';
import { factParts, defineFact, type FactOf } from '../receipts/contract.ts';
import { authStrengths } from './signals/words.ts';

/** Kinds of subjects of an incident. */
export const subjectKinds = ['component', 'provider', 'orb'] as const;

/**
 * Origins of an incident: alerts of sources, one weak alert, an operator, the auditor of receipts, or the platform's
 * measurements.
 */
export const incidentKinds = ['alerts', 'weak', 'operator', 'integrity', 'measured'] as const;

/** States of an incident. */
export const incidentStates = ['open', 'acknowledged', 'resolved'] as const;

/** Severities of an incident; `info` affects no status. */
export const incidentSeverities = ['critical', 'high', 'warning', 'info'] as const;

/** Impact of a severity on /status. */
export const impacts = ['major_outage', 'partial_outage', 'degraded_performance', 'none'] as const;

/** Phases of the work on an incident. */
export const phases = ['investigating', 'identified', 'monitoring', 'resolved'] as const;

/** Kinds of an attested change. */
export const changes = ['opened', 'changed', 'retracted'] as const;

/** One of `incidentSeverities`. */
export type IncidentSeverity = (typeof incidentSeverities)[number];

/** One of `impacts`. */
export type Impact = (typeof impacts)[number];

/** One of `phases`. */
export type Phase = (typeof phases)[number];

const { digest, factsThat: facts, id, text, time } = factParts;

const opened = facts({ properties: { change: { const: 'opened' } } });
const first = facts({ properties: { change_number: { const: 1 } } });
const resolved = facts({ properties: { state: { const: 'resolved' } } });
const ended = facts({ required: ['ends_at'] });
const reasoned = facts({ required: ['reason'] });
const retracted = facts({ properties: { change: { const: 'retracted' } } });
const resolvedByPerson = facts({ required: ['principal'], properties: { state: { const: 'resolved' } } });

// Two conditions that hold together, or not at all.
const together = <T>(fault: string, a: T, b: T) => [
  { fault, when: a, must: b },
  { fault, when: b, must: a },
];

/** An incident as it is attested: its whole state after a change. */
export const incidentFact = defineFact({
  kind: 'incident',
  predicate: exactly({
    incident_id: id('inc'),
    facts: exactly({
      change: { type: 'string', enum: changes },
      change_number: { type: 'integer', minimum: 1, description: '1, 2, …: the highest wins in any order' },
      state: { type: 'string', enum: incidentStates },
      severity: { type: 'string', enum: incidentSeverities },
      scope: { type: 'array', items: exactly({ kind: { type: 'string', enum: subjectKinds }, id: text }) },
      starts_at: time,
      ends_at: optional(time),
      deliveries: {
        type: 'array',
        description: 'Those that this change adds; none: own measurement, or an operator',
        items: exactly({
          delivery_id: id('dlv'),
          source_id: id('src'),
          digest: { ...digest, description: 'Of the raw body' },
          auth_strength: { type: 'string', enum: authStrengths },
        }),
      },
      principal: optional({ ...id('prn'), description: 'Absent: the platform itself' }),
      reason: optional({ ...text, description: '`integrity`: a receipt that does not verify' }),
      receipt_id: optional({ ...id('rec'), description: 'The receipt that failed, when the reason is `integrity`' }),
    }),
  }),
  subject: ['incident_id'],
  scopes: ['incidents:read'],
  // Every entry contains the whole state, so each is validated by itself.
  rules: [
    ...together('an incident is opened by its first change, and by no other', opened, first),
    ...together('ends_at is there iff the incident is resolved', resolved, ended),
    ...['starts_at', 'ends_at'].map((name) => ({
      fault: 'a time does not exist',
      must: facts({ properties: { [name]: { type: 'string', format: 'date-time' } } }),
    })),
    { fault: 'an incident ended before it started', compare: ['facts.starts_at', 'not_after', 'facts.ends_at'] },
    ...[retracted, resolvedByPerson].map((when) => ({
      fault: 'a retraction and a resolution by a person have a reason',
      when,
      must: reasoned,
    })),
    {
      fault: 'an incident of integrity names the receipt',
      when: facts({ required: ['reason'], properties: { reason: { const: 'integrity' } } }),
      must: facts({ required: ['receipt_id'] }),
    },
  ],
});

/** An incident as it is attested. */
export type IncidentFact = FactOf<typeof incidentFact>;
