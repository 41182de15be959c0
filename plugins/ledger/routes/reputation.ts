import {
  canonical,
  defineRoute,
  exactly,
  holds,
  optional,
  PlatformError,
  reply,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import { profileOf, shownEvent, shownScore } from '../reputation/profile.ts';
import { dayNumber, dayOf, dayText } from '../score/day.ts';
import { scoringPolicy, windowDays } from '../score/model.ts';
import { logSizeOf, snapshotRefOf } from '../shapes.ts';
import { orbHistory, orbProfile } from './schemas.ts';
import type { RouteScope } from './scope.ts';
import { caching, readParams, visibleOrb } from './visible.ts';

/** Options shared by the routes that read one Orb. */
export const open = { method: 'GET', service: 'ledger', public: true, optionalKey: true } as const;

/** Makes the routes that show the reputation of one Orb. */
export function reputationRoutes(scope: RouteScope): readonly Route[] {
  return [profileRoute(scope), historyRoute(scope), manifestRoute(scope)];
}

const profileRoute = (scope: RouteScope): Route =>
  defineRoute({
    ...open,
    path: '/reputation/{orb_id}',
    operationId: 'getReputation',
    summary: 'Read the reputation of an Orb with explanations; published Orbs need no key',
    params: readParams,
    response: orbProfile,
    problems: ['orb_not_found'],
    async handle(call) {
      const orbId = visibleOrb(scope.sight, call.params.orb_id, call);
      return reply({ headers: caching(call), body: await shownProfile(scope, orbId, call.principal) });
    },
  });

async function shownProfile(scope: RouteScope, orbId: string, principal: Principal | undefined): Promise<object> {
  const { desk, ledger, reads, profile, clock, log, signatures } = scope;
  const { follower, projection } = ledger;
  // Read it before the counts, so that they include at least this position.
  const { position } = follower;
  const day = dayOf(clock.now());
  const { snapshot } = desk;
  const withIncidentIds = principal !== undefined && holds(principal.scopes, 'incidents:read');
  const shown = await desk.profiles.get({ orbId, day, position, withIncidentIds }, () =>
    profileOf({ orbId, day, reads, profile, projection, withIncidentIds, causes: desk.causes(orbId) }),
  );
  const head = (await log.heads()).at(-1);
  return {
    ...shown,
    profile,
    scoring_policy: scoringPolicy,
    manifest_signed: signatures.isSigned(orbId),
    as_of: { day: dayText(day), ...(position === undefined ? {} : { position }) },
    ...(snapshot === undefined ? {} : { snapshot: snapshotRefOf(snapshot) }),
    ...(head === undefined ? {} : { log_checkpoint: logSizeOf(head) }),
    links: linksOf(orbId),
  };
}

function linksOf(orbId: string): Readonly<Record<string, string>> {
  const base = `/reputation/${encodeURIComponent(orbId)}`;
  const names = ['history', 'evidence', 'manifest', 'certificate', 'badge'];
  const below = names.map((name) => [name, `${base}/${name}`] as const);
  return { self: base, ...Object.fromEntries(below), scoring: `/scoring/${scoringPolicy.id}` };
}

const dayQuery = { type: 'string', format: 'date', description: '`YYYY-MM-DD`, UTC' } as const;
const longestDays = 400;

const historyRoute = ({ reads, sight, clock }: RouteScope): Route =>
  defineRoute({
    ...open,
    path: '/reputation/{orb_id}/history',
    operationId: 'getReputationHistory',
    summary: 'Read the daily snapshots of an Orb and its changes of tier',
    params: readParams,
    query: exactly({
      from: optional({ ...dayQuery, description: 'first day; default: 179 days before `to`' }),
      to: optional({ ...dayQuery, description: 'last day; default: today' }),
    }),
    response: orbHistory,
    problems: ['orb_not_found'],
    async handle(call) {
      const orb_id = visibleOrb(sight, call.params.orb_id, call);
      const to = wantedDay(call.query.to) ?? dayOf(clock.now());
      const from = wantedDay(call.query.from) ?? to - windowDays + 1;
      if (to - from >= longestDays) throw new PlatformError('invalid_parameter', `request at most ${longestDays} days`);
      const counts = new Map((await reads.othersOf(orb_id, from, to)).map(({ day, others }) => [dayText(day), others]));
      const rows = await reads.history(orb_id, dayText(from), dayText(to));
      const days = rows.map(({ day, row, digest }) => ({
        day,
        ...shownScore(row),
        status: row.status,
        certification_tier: row.tier,
        ...(row.limited_by === undefined ? {} : { limited_by: row.limited_by }),
        effective_runs: row.n_eff_milli / 1000,
        effective_callers: row.nc_milli / 1000,
        debt_milli: row.debt_milli,
        swaps: counts.get(day)?.swaps ?? 0,
        snapshot: digest,
      }));
      const events = (await reads.events(orb_id)).filter(({ day }) => day >= dayText(from) && day <= dayText(to));
      return reply({ headers: caching(call), body: { orb_id, days, events: events.map(shownEvent) } });
    },
  });

/** Reads a day from a query. Throws 400 on a day that is in no calendar. */
export function wantedDay(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const day = dayNumber(text);
    if (dayText(day) === text) return day;
  } catch {
    // Reported below.
  }
  throw new PlatformError('invalid_parameter', `${text} is not a day; write YYYY-MM-DD`);
}

const manifestRoute = ({ sight, signatures, runtime }: RouteScope): Route =>
  defineRoute({
    ...open,
    path: '/reputation/{orb_id}/manifest',
    operationId: 'getManifest',
    summary: 'Read the manifest of an Orb in canonical form, or with its signature',
    params: readParams,
    query: exactly({
      format: optional({
        enum: ['canonical', 'signed'],
        default: 'canonical',
        description: 'canonical: the very bytes of the digest; signed: with the digest and the DSSE envelope',
      }),
    }),
    produces: 'application/json',
    sends: { ETag: true },
    problems: ['orb_not_found'],
    handle(call) {
      const orb_id = visibleOrb(sight, call.params.orb_id, call);
      const orb = runtime.catalog.orbs.get(orb_id);
      const state = signatures.manifest(orb_id);
      if (orb === undefined || state === undefined)
        throw new PlatformError('orb_not_found', `the manifest of ${orb_id} is no longer installed here`);
      const headers = { ...caching(call), ETag: `"${orb.digest}"` };
      if (call.query.format === 'signed') return reply({ headers, body: { ...state, manifest: orb.manifest } });
      return reply({ headers, type: 'application/json', body: canonical(orb.manifest) });
    },
  });
