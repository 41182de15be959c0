import type { JsonSchema } from '../../../kernel/index.ts';
import type { OtherPredicate } from './predicate.ts';
import { isTime, type Rules } from './rule.ts';
import {
  closed,
  digest,
  headProperties,
  headRequired,
  id,
  statementProperties,
  statementRequired,
  text,
  time,
} from '../format/schema-parts.ts';

/** Schema of the statement of an incident: its whole state after one change, and the deliveries that made it. */
export const incidentStatement = {
  ...closed,
  required: statementRequired,
  properties: {
    ...statementProperties,
    predicateType: { const: 'urn:agent-orb:incident:v1' },
    predicate: {
      ...closed,
      required: [...headRequired, 'at', 'incident_id', 'facts'],
      properties: {
        ...headProperties,
        at: time,
        incident_id: id('inc'),
        facts: {
          ...closed,
          required: ['change', 'change_number', 'state', 'severity', 'scope', 'starts_at', 'deliveries'],
          properties: {
            change: { type: 'string', enum: ['opened', 'changed', 'retracted'] },
            change_number: { type: 'integer', minimum: 1 },
            state: { type: 'string', enum: ['open', 'acknowledged', 'resolved'] },
            severity: { type: 'string', enum: ['critical', 'high', 'warning', 'info'] },
            scope: {
              type: 'array',
              items: {
                ...closed,
                required: ['kind', 'id'],
                properties: { kind: { type: 'string', enum: ['component', 'provider', 'orb'] }, id: text },
              },
            },
            starts_at: time,
            ends_at: time,
            deliveries: {
              type: 'array',
              items: {
                ...closed,
                required: ['delivery_id', 'source_id', 'digest', 'auth_strength'],
                properties: {
                  delivery_id: id('dlv'),
                  source_id: id('src'),
                  digest,
                  auth_strength: { type: 'string', enum: ['strong', 'shared_secret', 'url_token', 'none'] },
                },
              },
            },
            principal: id('prn'),
            reason: text,
            receipt_id: id('rec'),
          },
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Lists what the members of an incident must agree in. */
export function incidentRules({ facts }: OtherPredicate): Rules {
  const { change, change_number, principal, reason, receipt_id, state } = facts;
  // The schema has said what they are.
  const { ends_at, starts_at } = facts as { readonly starts_at: string; readonly ends_at?: string };
  // Every entry bears the whole state, so each is read by itself.
  const ended = state === 'resolved';
  const byPerson = ended && principal !== undefined;
  return [
    [(change === 'opened') === (change_number === 1), 'an incident is opened by its first change, and by no other'],
    [(ends_at !== undefined) === ended, 'ends_at is there iff the incident is resolved'],
    [isTime(starts_at) && isTime(ends_at), 'a time does not exist'],
    // Times of one form are ordered as texts.
    [ends_at === undefined || ends_at >= starts_at, 'an incident ended before it started'],
    [
      reason !== undefined || (change !== 'retracted' && !byPerson),
      'a retraction and a resolution by a person have a reason',
    ],
    [reason !== 'integrity' || receipt_id !== undefined, 'an incident of integrity names the receipt'],
  ];
}
