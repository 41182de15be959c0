import { exactly, optional, type Answered } from '../../../kernel/index.ts';
import { services, statuses } from '../contract.ts';
import { each } from './measure.ts';

/** An RFC 3339 time. */
export const time = { type: 'string', format: 'date-time' } as const;

/** A number that is not negative. */
export const number = { type: 'number', minimum: 0 } as const;

/** Makes the schema of an object with one member per service. */
export function perService<const M extends object>(member: M) {
  return exactly(each(() => member));
}

/** A day of UTC. */
export const day = { type: 'string', format: 'date' } as const;

const part = {
  status: optional({ enum: [...statuses], description: 'The worst status of the day; absent: no data' }),
  downtime_seconds: { ...number, description: 'Seconds of downtime, weighted by status' },
  uptime_pct: optional({ ...number, description: 'Uptime, in percent of the observed time' }),
} as const;

/** Schema of one past day; a day without observation has neither status nor percentage. */
export const daySchema = exactly({
  day: { ...day, description: '`YYYY-MM-DD`, UTC' },
  ...part,
  services: {
    description: 'Figures of each service',
    ...perService({ description: 'Figures of the service', ...exactly('ServiceDay', part) }),
  },
});

/** One UTC day. */
export type Day = Answered<typeof daySchema>;

/** Figures of one day, of one service or of the platform. */
export type DayPart = Omit<Day, 'day' | 'services'>;

/** Schema of the uptime figures of a window. */
export const uptimeFigures = exactly('UptimeFigures', {
  from: { ...time, description: 'Start of the window' },
  to: { ...time, description: 'End of the window' },
  observed_seconds: { ...number, description: 'Part of the window that counts, in seconds' },
  downtime_seconds: { ...number, description: 'Seconds of downtime, weighted by status' },
  coverage_pct: { ...number, description: 'Part of the window that was observed, in percent' },
  uptime_pct: { ...number, description: 'Uptime in percent: 100 × (1 − downtime ÷ observed)' },
});

/** Schema of one entry of `incidents`: in the platform's own words, never those of a vendor. */
export const incidentEntry = exactly('StatusIncident', {
  id: { type: 'string', description: 'Id of the incident or maintenance window' },
  title: { type: 'string', description: 'Title, written by the platform or its operator' },
  status: {
    enum: ['investigating', 'identified', 'monitoring', 'resolved', 'scheduled', 'in_progress', 'completed'],
    description: 'Phase',
  },
  impact: {
    enum: ['none', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance'],
    description: 'Effect on the services',
  },
  components: { type: 'array', description: 'The affected services', items: { enum: [...services] } },
  started_at: { ...time, description: 'When it started' },
  updated_at: { ...time, description: 'When it last changed' },
  acknowledged_at: optional({ ...time, description: 'When a person acknowledged it' }),
  resolved_at: optional({ ...time, description: 'When it was resolved' }),
  scheduled: { type: 'boolean', description: 'Whether it is planned maintenance' },
  scheduled_until: optional({ ...time, description: 'Planned end of maintenance' }),
  updates: {
    type: 'array',
    description: 'The updates, oldest first',
    items: exactly({
      at: { ...time, description: 'When the update was posted' },
      status: { type: 'string', description: 'Phase of the incident' },
      message: { type: 'string', description: 'Text of the update' },
    }),
  },
  url: { type: 'string', description: 'URL of its public page' },
});

/** One entry of `incidents`. */
export type IncidentEntry = Answered<typeof incidentEntry>;

/** Schema of the body of /status: exactly these five members. */
export const statusBody = exactly('PlatformStatus', {
  status: { enum: [...statuses], description: 'Status of the worst service' },
  uptime_30d_pct: { ...number, maximum: 100, description: 'Uptime of the last 30 days; see /status/formula' },
  incidents: { type: 'array', description: 'Open incidents and planned maintenance', items: incidentEntry },
  services: {
    description: 'Status of each service',
    ...perService({ enum: [...statuses], description: 'Status of the service' }),
  },
  last_updated: { ...time, description: 'When it was measured' },
});
