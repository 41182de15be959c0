import { every } from '../../../../kernel/index.ts';
import type { IncidentScope } from '../store/scope.ts';
import { OutageWatch, refusalOf, type OutageEvent } from './outage.ts';
import { type Runtime, runSettled } from '../../../runtime/contract.ts';

/** Where measured outages are recorded. */
export interface OutageRecord {
  /** Lists the subjects that are out, as it was recorded before the start. */
  open(): Promise<readonly string[]>;
  record(event: OutageEvent): Promise<unknown>;
}

const lookMs = 1000;

/** Measures whether each Orb can be served, and records when one cannot for a minute, and when it can again. */
export function measureOutages({ clock, hooks, log, platform, runtime }: IncidentScope, outages: OutageRecord) {
  const record = (event: OutageEvent): Promise<unknown> => outages.record(event);
  const shared = (): boolean => hasSeveralTenants(runtime.catalog);
  let watching: OutageWatch | undefined;
  let stop = (): void => undefined;
  hooks.of(runSettled).tap('outages', ({ orb_id, tenant, usable }) => {
    if (usable !== undefined) watching?.ran(orb_id, usable, tenant);
  });
  const look = (): unknown => watching?.look({ orbs: runtime.orbs(), refused: refusalOf(platform.components()) });
  return {
    async start() {
      watching = new OutageWatch({ clock, record, open: await outages.open(), shared });
      stop = every(lookMs, look, (err) => log.warn({ err }, 'the server could not record an outage; it tries again'));
    },
    stop: () => stop(),
  };
}

// A run belongs to the tenant of its Orbiset.
function hasSeveralTenants({ orbisets }: Runtime['catalog']): boolean {
  return new Set([...orbisets.values()].map(({ tenant }) => tenant)).size > 1;
}
