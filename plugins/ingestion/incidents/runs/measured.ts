import { every, type HookTaps, type Platform, type PluginScope } from '../../../../kernel/index.ts';
import type { Engine } from '../engine.ts';
import { allOrbs, OutageWatch, outageMs, recoveryMs, refusalOf, type OutageEvent } from './outage.ts';
import type { IncidentReads } from '../store/reading.ts';
import type { SourcePolicy } from '../../sources/schema.ts';

/** Where measured incidents stand. */
export const measuredKey = 'measured:runtime';

/** What the platform's own measurements make incidents with. */
export interface MeasuredOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'platform'> {
  readonly hooks: Pick<HookTaps, 'runSettled'>;
  readonly engine: Pick<Engine, 'add'>;
  readonly reads: Pick<IncidentReads, 'fingerprints' | 'events'>;
}

/** Watches over outages of the runtime. */
export interface Measured {
  start(): void;
  stop(): void;
}

const lookMs = 1000;

// An outage was bad for a minute when it is recorded, and is over after five good ones; until then it goes on.
const policy: SourcePolicy = {
  default_severity: 'high',
  min_severity: 'info',
  auto_resolve: 'all',
  for_s: 0,
  hold_s: recoveryMs / 1000,
  reopen_window_s: 0,
};

/** Opens an incident of the runtime when an Orb cannot be served for a minute, a major one when none can, and closes it. */
export function measureOutages(options: MeasuredOptions): Measured {
  const { clock, engine, hooks, ids, log, platform, reads } = options;
  const record = (event: OutageEvent): Promise<unknown> => engine.add(alertOf(event, ids('sig')));
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

function alertOf({ subject, state, at_ms, reason }: OutageEvent, id: string): Parameters<Engine['add']>[0] {
  return {
    event_id: id,
    fingerprint: fingerprintOf(subject),
    key: measuredKey,
    occurred_ms: at_ms,
    delivery_key: id,
    ordinal: 0,
    state,
    severity: subject === allOrbs ? 'critical' : 'high',
    eligible: true,
    scope: [{ kind: 'component', id: 'runtime' }],
    rule: 'measured',
    policy,
    vendor: 'platform',
    title: `${reason} (for ${outageMs / 1000} s)`,
  };
}

// What was recorded last before the start.
function openOf(reads: MeasuredOptions['reads']): readonly string[] {
  const firing = reads.fingerprints(measuredKey).filter((fingerprint) => {
    const newest = [...reads.events(fingerprint)].sort((a, b) => a.occurred_ms - b.occurred_ms).at(-1);
    return newest?.state === 'firing';
  });
  return firing.map((fingerprint) => fingerprint.slice(fingerprintOf('').length));
}
