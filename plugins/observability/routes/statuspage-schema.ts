import { exactly } from '../../../kernel/index.ts';
import { services, statuses } from '../contract.ts';
import { day, time } from '../status/schema.ts';

const text = { type: 'string' } as const;
const maybeTime = { type: ['string', 'null'], format: 'date-time' } as const;

const page = exactly('StatuspagePage', {
  id: { ...text, description: 'Id of the page' },
  name: { ...text, description: 'Name of the page' },
  url: { ...text, description: 'Address of the page' },
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
  created_at: { ...time, description: 'When it was made' },
  updated_at: { ...time, description: 'When it last changed' },
  position: { type: 'integer', description: 'Place in the list' },
  description: { type: ['string', 'null'], description: 'What the service does' },
  showcase: { type: 'boolean', description: 'Shown with its uptime' },
  start_date: { ...day, description: 'First day of its uptime' },
  group_id: { type: ['string', 'null'], description: 'There are no groups' },
  page_id: { ...text, description: 'Id of the page' },
  group: { type: 'boolean', description: 'Whether it is a group' },
  only_show_if_degraded: { type: 'boolean', description: 'Whether it hides while it is well' },
});

const update = exactly('StatuspageUpdate', {
  id: { ...text, description: 'Id of the update' },
  status: { ...text, description: 'Where the work stood' },
  body: { ...text, description: 'What was said' },
  incident_id: { ...text, description: 'Id of the incident' },
  created_at: { ...time, description: 'When it was made' },
  updated_at: { ...time, description: 'When it last changed' },
  display_at: { ...time, description: 'When it is shown as written' },
});

const incidentMembers = {
  id: { ...text, description: 'Id of the incident' },
  name: { ...text, description: 'Title of the incident' },
  status: { enum: ['investigating', 'identified', 'monitoring', 'resolved'], description: 'Progress of the work' },
  created_at: { ...time, description: 'When it was made' },
  updated_at: { ...time, description: 'When it last changed' },
  monitoring_at: { ...maybeTime, description: 'When the mending began to be watched' },
  resolved_at: { ...maybeTime, description: 'When it was over; null: it is open' },
  impact: { enum: ['none', 'minor', 'major', 'critical'], description: 'How much it concerns' },
  shortlink: { ...text, description: 'Address of the incident' },
  started_at: { ...time, description: 'When it began' },
  page_id: { ...text, description: 'Id of the page' },
  incident_updates: { type: 'array', description: 'What was said of it', items: update, minItems: 1 },
  components: { type: 'array', description: 'The services concerned', items: component },
} as const;

const maintenance = exactly('StatuspageMaintenance', {
  ...incidentMembers,
  status: { enum: ['scheduled', 'in_progress', 'completed'], description: 'Progress of the work' },
  impact: { const: 'maintenance', description: 'It is planned' },
  scheduled_for: { ...time, description: 'When it begins' },
  scheduled_until: { ...time, description: 'When it ends' },
});

const incident = exactly('StatuspageIncident', incidentMembers);
const incidents = { type: 'array', items: incident } as const;
const components = { type: 'array', items: component } as const;

/** Schema of `status.json`. */
export const statusSchema = exactly({
  page: { ...page, description: 'The page' },
  status: { ...status, description: 'The status of the whole' },
});

/** Schema of `components.json`. */
export const componentList = exactly({
  page: { ...page, description: 'The page' },
  components: { ...components, description: 'The services' },
});

/** Schema of `incidents.json` and `incidents/unresolved.json`. */
export const incidentList = exactly({
  page: { ...page, description: 'The page' },
  incidents: { ...incidents, description: 'Newest first' },
});

/** Schema of `summary.json`. */
export const summarySchema = exactly({
  page: { ...page, description: 'The page' },
  components: { ...components, description: 'The services' },
  incidents: { ...incidents, description: 'Those that are open' },
  scheduled_maintenances: { type: 'array', description: 'Planned maintenance', items: maintenance },
  status: { ...status, description: 'The status of the whole' },
});
