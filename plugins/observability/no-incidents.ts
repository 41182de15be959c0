import type { Incidents } from '../ingestion/contract.ts';

/** Incidents of an installation in which no plugin keeps any. */
export const noIncidents: Incidents = Object.freeze({
  open: () => [],
  maintenance: () => [],
  find: () => undefined,
  between: () => [],
  maintenanceBetween: () => [],
  intervals: () => [],
  onChange: () => () => undefined,
});
