import { every, type HookTaps, type Ids, type Platform, type PluginScope } from '../../../../kernel/index.ts';
import { ownEvent, type AlertEvent } from '../cluster/event.ts';
import type { Engine } from '../engine.ts';
import { allOrbs, OutageWatch, outageMs, recoveryMs, refusalOf, type OutageEvent } from './outage.ts';
import type { IncidentReads } from '../store/reading.ts';

// Key of measured incidents.
const measuredKey = 'measured:runtime';

/** Options of the outage measurement. */
export interface MeasuredOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'platform'> {
  readonly hooks: Pick<HookTaps, 'runSettled'>;
  readonly engine: Pick<Engine, 'add'>;
  readonly reads: Pick<IncidentReads, 'newestOf'>;
}

const lookMs = 1000;

/**
 * Opens an incident of the runtime when an Orb cannot be served for a minute (a critical one when no Orb can), and
 * closes it.
 */
export function measureOutages(options: MeasuredOptions) {
  const { clock, engine, hooks, ids, log, platform, reads } = options;
  const record = (event: OutageEvent): Promise<unknown> => engine.add(alertOf(event, ids));
  const shared = (): boolean => hasSeveralTenants(platform.catalog);
  const watch = async (): Promise<OutageWatch> => new OutageWatch({ clock, record, open: await openOf(reads), shared });
  let watching: OutageWatch | undefined;
  let stop = (): void => undefined;
  hooks.runSettled.tap('outages', ({ orb_id, tenant, usable }) => {
    if (usable !== undefined) watching?.ran(orb_id, usable, tenant);
  });
  const look = (): unknown => watching?.look({ orbs: platform.orbs(), refused: refusalOf(platform.components()) });
  return {
    async start() {
      watching = await watch();
      stop = every(lookMs, look, (err) => log.warn({ err }, 'an outage could not be recorded; the server tries again'));
    },
    stop: () => stop(),
  };
}

// A run belongs to the tenant of its Orbiset.
function hasSeveralTenants({ orbisets }: Platform['catalog']): boolean {
  return new Set([...orbisets.values()].map(({ tenant }) => tenant)).size > 1;
}

function fingerprintOf(subject: string): string {
  return `${measuredKey}:${subject}`;
}

function alertOf({ subject, state, at_ms, reason }: OutageEvent, ids: Ids): AlertEvent {
  const said = {
    ...{ fingerprint: fingerprintOf(subject), key: measuredKey, occurred_ms: at_ms, state },
    severity: subject === allOrbs ? 'critical' : 'high',
    scope: [{ kind: 'component', id: 'runtime' }],
    rule: 'measured',
    vendor: 'platform',
    title: `${reason} (for ${outageMs / 1000} s)`,
  } as const;
  // An outage is recorded after one bad minute and ends after five good ones; the hold keeps it open until then.
  return ownEvent(ids, said, recoveryMs / 1000);
}

// Finds the subjects whose last recorded event before the start is firing.
async function openOf(reads: MeasuredOptions['reads']): Promise<readonly string[]> {
  const firing = (await reads.newestOf(measuredKey)).filter(({ state }) => state === 'firing');
  return firing.map(({ fingerprint }) => fingerprint.slice(fingerprintOf('').length));
}
