import { services, statuses } from '../contract.ts';

/** An RFC 3339 time. */
export const time = { type: 'string', format: 'date-time' } as const;

/** A number that is not negative. */
export const number = { type: 'number', minimum: 0 } as const;

/** Makes the schema of an object with one member per service. */
export function perService(member: object) {
  return {
    type: 'object',
    additionalProperties: false,
    required: [...services],
    properties: Object.fromEntries(services.map((name) => [name, member])),
  } as const;
}

/** A day of UTC. */
export const day = { type: 'string', format: 'date' } as const;

const part = {
  status: { enum: [...statuses], description: 'The worst status of the day; absent: nobody observed' },
  downtime_seconds: { ...number, description: 'Seconds, weighted by their status' },
  uptime_pct: { ...number, description: 'Share of the observed time' },
} as const;

/** Schema of one day of the past; a day nobody observed has neither status nor percentage. */
export const daySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['day', 'downtime_seconds', 'services'],
  properties: {
    day: { ...day, description: '`YYYY-MM-DD`, UTC' },
    ...part,
    services: {
      ...perService({
        title: 'ServiceDay',
        description: 'The day of the service',
        type: 'object',
        additionalProperties: false,
        required: ['downtime_seconds'],
        properties: part,
      }),
      description: 'The day of each service',
    },
  },
} as const;
