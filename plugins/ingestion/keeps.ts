import type { PluginKeeps } from '../../kernel/index.ts';

/** What ingestion keeps, and what makes it smaller. */
export const ingestionKeeps: readonly PluginKeeps[] = [
  {
    what: 'deliveries with their bodies and signals',
    tables: ['ingestion_deliveries', 'ingestion_bodies', 'ingestion_signals'],
    settings: ['retention_days'],
    advice:
      'retention_days of a source (PATCH /sources/{source_id}) applies to later deliveries. If incidents may depend on a delivery, only its body is deleted.',
    values: `SELECT 'source ' || (record ->> 'name') || ': retention_days' AS name,
        coalesce(record ->> 'retention_days', 30) AS value
      FROM ingestion_sources WHERE deleted_at IS NULL ORDER BY 1`,
  },
  { what: 'counts of events per day', tables: ['ingestion_usage'], settings: ['usage_retention_days'] },
  {
    what: 'incidents',
    tables: [
      'ingestion_incident_events',
      'ingestion_incident_deliveries',
      'ingestion_incident_changes',
      'ingestion_incident_scopes',
      'ingestion_incidents',
    ],
    advice: 'Events are kept for 120 days after the end of an incident, the incident itself permanently.',
  },
];
