import { services, statuses } from '../contract.ts';
import { day, time } from './schema.ts';

const text = { type: 'string' } as const;
const maybeTime = { type: ['string', 'null'], format: 'date-time' } as const;

/** Makes the schema of an object that has exactly these members. */
function exactly<const P extends object>(properties: P) {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties } as const;
}

const page = exactly({ id: text, name: text, url: text, time_zone: text, updated_at: time });

const status = exactly({
  indicator: { enum: ['none', 'minor', 'major', 'critical', 'maintenance'] },
  description: text,
});

const component = exactly({
  id: { enum: [...services] },
  name: text,
  status: { enum: [...statuses] },
  created_at: time,
  updated_at: time,
  position: { type: 'integer' },
  description: { type: ['string', 'null'] },
  showcase: { type: 'boolean' },
  start_date: day,
  group_id: { type: 'null' },
  page_id: text,
  group: { type: 'boolean' },
  only_show_if_degraded: { type: 'boolean' },
});

const update = exactly({
  id: text,
  status: text,
  body: text,
  incident_id: text,
  created_at: time,
  updated_at: time,
  display_at: time,
});

const incidentMembers = {
  id: text,
  name: text,
  status: { enum: ['investigating', 'identified', 'monitoring', 'resolved'] },
  created_at: time,
  updated_at: time,
  monitoring_at: maybeTime,
  resolved_at: maybeTime,
  impact: { enum: ['none', 'minor', 'major', 'critical'] },
  shortlink: text,
  started_at: time,
  page_id: text,
  incident_updates: { type: 'array', items: update, minItems: 1 },
  components: { type: 'array', items: component },
} as const;

const maintenance = exactly({
  ...incidentMembers,
  status: { enum: ['scheduled', 'in_progress', 'completed'] },
  impact: { const: 'maintenance' },
  scheduled_for: time,
  scheduled_until: time,
});

const incidents = { type: 'array', items: exactly(incidentMembers) } as const;
const components = { type: 'array', items: component } as const;

/** Schema of `status.json`. */
export const statusSchema = exactly({ page, status });

/** Schema of `components.json`. */
export const componentList = exactly({ page, components });

/** Schema of `incidents.json` and `incidents/unresolved.json`. */
export const incidentList = exactly({ page, incidents });

/** Schema of `summary.json`. */
export const summarySchema = exactly({
  page,
  components,
  incidents,
  scheduled_maintenances: { type: 'array', items: maintenance },
  status,
});
