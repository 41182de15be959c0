import { every, type HookTaps, type Ids, type Platform, type PluginScope } from '../../../../kernel/index.ts';
import { ownEvent, type AlertEvent } from '../cluster/event.ts';
import type { Engine } from '../engine.ts';
import { allOrbs, OutageWatch, outageMs, recoveryMs, refusalOf, type OutageEvent } from './outage.ts';
import type { IncidentReads } from '../store/reading.ts';

// Where measured incidents stand.
const measuredKey = 'measured:runtime';

/** What the platform's own measurements make incidents with. */
export interface MeasuredOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'platform'> {
  readonly hooks: Pick<HookTaps, 'runSettled'>;
  readonly engine: Pick<Engine, 'add'>;
  readonly reads: Pick<IncidentReads, 'fingerprints' | 'events'>;
}

const lookMs = 1000;

/** Opens an incident of the runtime when an Orb cannot be served for a minute, a major one when none can, and closes it. */
export function measureOutages(options: MeasuredOptions) {
  const { clock, engine, hooks, ids, log, platform, reads } = options;
  const record = (event: OutageEvent): Promise<unknown> => engine.add(alertOf(event, ids));
  const shared = (): boolean => hasSeveralTenants(platform.catalog);
  const watch = (): OutageWatch => new OutageWatch({ clock, record, open: openOf(reads), shared });
  let watching: OutageWatch | undefined;
  let stop = (): void => undefined;
  hooks.runSettled.tap('outages', ({ orb_id, tenant, usable }) => {
    if (usable !== undefined) watching?.ran(orb_id, usable, tenant);
  });
  const look = (): unknown => watching?.look({ orbs: platform.orbs(), refused: refusalOf(platform.components()) });
  return {
    start() {
      watching = watch();
      stop = every(lookMs, look, (err) => log.warn({ err }, 'an outage could not be recorded; the server tries again'));
    },
    stop: () => stop(),
  };
}

// Runs belong to the tenant of their Orbiset.
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
  // An outage was bad for a minute when it is recorded, and is over after five good ones; until then it goes on.
  return ownEvent(ids, said, recoveryMs / 1000);
}

// What was recorded last before the start.
function openOf(reads: MeasuredOptions['reads']): readonly string[] {
  const firing = reads.fingerprints(measuredKey).filter((fingerprint) => {
    const newest = [...reads.events(fingerprint)].sort((a, b) => a.occurred_ms - b.occurred_ms).at(-1);
    return newest?.state === 'firing';
  });
  return firing.map((fingerprint) => fingerprint.slice(fingerprintOf('').length));
}
