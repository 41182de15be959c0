/** The topics by which nodes tell each other what of ingestion has changed; each names the row. */
export const topics = {
  /** A source or its secrets. */
  sources: 'ingestion.sources',
  /** An incident, or its public notes. */
  incidents: 'ingestion.incidents',
  /** A maintenance window. */
  windows: 'ingestion.maintenance',
  /** A delivery that came again: its alerts are not stale. */
  refreshed: 'ingestion.refreshed',
  /** A request to the node that folds incidents, and its answer. */
  asked: 'ingestion.asked',
  answered: 'ingestion.answered',
} as const;
