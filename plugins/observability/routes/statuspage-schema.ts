import { exactly } from '../../../kernel/index.ts';
import { services, statuses } from '../contract.ts';
import { day, time } from '../status/schema.ts';

const text = { type: 'string' } as const;
const maybeTime = { type: ['string', 'null'], format: 'date-time' } as const;

const page = exactly('StatuspagePage', {
  id: { ...text, description: 'Id of the page' },
  name: { ...text, description: 'Name of the page' },
  url: { ...text, description: 'URL of the page' },
  time_zone: { ...text, description: 'Time zone of the page' },
  updated_at: { ...time, description: 'When it last changed' },
});

const status = exactly('StatuspageStatus', {
  indicator: { enum: ['none', 'minor', 'major', 'critical', 'maintenance'], description: 'The worst impact now' },
  description: { ...text, description: 'The status in words' },
});

const component = exactly('StatuspageComponent', {
  id: { enum: [...services], description: 'Id of the service' },
  name: { ...text, description: 'Name of the service' },
  status: { enum: [...statuses], description: 'Status of the service' },
  created_at: { ...time, description: 'When it was created' },
  updated_at: { ...time, description: 'When it last changed' },
  position: { type: 'integer', description: 'Position in the list' },
  description: { type: ['string', 'null'], description: 'What the service does' },
  showcase: { type: 'boolean', description: 'Whether it is shown with its uptime' },
  start_date: { ...day, description: 'First day of its uptime' },
  group_id: { type: ['string', 'null'], description: 'Always null: services have no groups' },
  page_id: { ...text, description: 'Id of the page' },
  group: { type: 'boolean', description: 'Whether it is a group' },
  only_show_if_degraded: { type: 'boolean', description: 'Whether it is hidden while it is operational' },
});

const update = exactly('StatuspageUpdate', {
  id: { ...text, description: 'Id of the update' },
  status: { ...text, description: 'Phase of the incident' },
  body: { ...text, description: 'Text of the update' },
  incident_id: { ...text, description: 'Id of the incident' },
  created_at: { ...time, description: 'When it was created' },
  updated_at: { ...time, description: 'When it last changed' },
  display_at: { ...time, description: 'The time that is shown for the update' },
});

const incidentMembers = {
  id: { ...text, description: 'Id of the incident' },
  name: { ...text, description: 'Title of the incident' },
  status: { enum: ['investigating', 'identified', 'monitoring', 'resolved'], description: 'Phase' },
  created_at: { ...time, description: 'When it was created' },
  updated_at: { ...time, description: 'When it last changed' },
  monitoring_at: { ...maybeTime, description: 'When monitoring of the fix started' },
  resolved_at: { ...maybeTime, description: 'When it was resolved; null: it is open' },
  impact: { enum: ['none', 'minor', 'major', 'critical'], description: 'Severity of its effect' },
  shortlink: { ...text, description: 'URL of the incident' },
  started_at: { ...time, description: 'When it started' },
  page_id: { ...text, description: 'Id of the page' },
  incident_updates: { type: 'array', description: 'The updates', items: update, minItems: 1 },
  components: { type: 'array', description: 'The affected services', items: component },
} as const;

const maintenance = exactly('StatuspageMaintenance', {
  ...incidentMembers,
  status: { enum: ['scheduled', 'in_progress', 'completed'], description: 'Phase' },
  impact: { const: 'maintenance', description: 'Always maintenance' },
  scheduled_for: { ...time, description: 'Planned start' },
  scheduled_until: { ...time, description: 'Planned end' },
});

const incident = exactly('StatuspageIncident', incidentMembers);
const incidents = { type: 'array', items: incident } as const;
const components = { type: 'array', items: component } as const;

/** Schema of `status.json`. */
export const statusSchema = exactly({
  page: { ...page, description: 'The page' },
  status: { ...status, description: 'Status of the whole platform' },
});

/** Schema of `components.json`. */
export const componentList = exactly({
  page: { ...page, description: 'The page' },
  components: { ...components, description: 'The services' },
});

/** Schema of `incidents.json` and `incidents/unresolved.json`. */
export const incidentList = exactly({
  page: { ...page, description: 'The page' },
  incidents: { ...incidents, description: 'The incidents, newest first' },
});

/** Schema of `summary.json`. */
export const summarySchema = exactly({
  page: { ...page, description: 'The page' },
  components: { ...components, description: 'The services' },
  incidents: { ...incidents, description: 'The open incidents' },
  scheduled_maintenances: { type: 'array', description: 'Planned maintenance', items: maintenance },
  status: { ...status, description: 'Status of the whole platform' },
});
