import {
  defineRoute,
  exactly,
  optional,
  PlatformError,
  refuseHeld,
  reply,
  type Reply,
  type Route,
} from '../../../kernel/index.ts';
import { factLines } from '../replay/export-lines.ts';
import type { DayCounts } from '../tables/reads.ts';
import { dayOf, dayText } from '../score/day.ts';
import { windowDays } from '../score/model.ts';
import { lineExports } from './export.ts';
import { orbEvidence } from './schemas.ts';
import { open, wantedDay } from './reputation.ts';
import type { RouteScope } from './scope.ts';
import { caching, readParams, requireExport, visibleOrb } from './visible.ts';

/** Makes the route that shows the counts behind an Orb's score. */
export const evidenceRoute = ({ reads, sight, clock, log }: RouteScope): Route =>
  defineRoute({
    ...open,
    path: '/reputation/{orb_id}/evidence',
    operationId: 'getReputationEvidence',
    summary: 'Read the daily counts; by caller or as export lines with reputation:export',
    params: readParams,
    query: exactly({
      day: optional({
        type: 'string',
        format: 'date',
        description: 'the window that ends with this day; default: today',
      }),
      by: optional({ enum: ['day', 'caller'], default: 'day', description: '`caller` needs `reputation:export`' }),
      format: optional({
        enum: ['json', 'ndjson'],
        default: 'json',
        description: '`ndjson` needs `reputation:export`',
      }),
    }),
    response: orbEvidence,
    forms: { 'application/x-ndjson': { type: 'string' } },
    problems: ['orb_not_found', 'unauthenticated', 'insufficient_scope'],
    async handle(call): Promise<Reply> {
      const orb_id = visibleOrb(sight, call.params.orb_id, call);
      const { by, format, day } = call.query;
      if (by === 'caller' || format === 'ndjson') requireExport(sight, orb_id, call);
      if (format === 'ndjson') {
        if (call.hold(lineExports) === undefined) refuseHeld(lineExports);
        const heads = await log.heads();
        const lines = factLines(log, heads, (line) => 'orb_id' in line && line.orb_id === orb_id);
        return reply({ headers: caching(call), type: 'application/x-ndjson', stream: lines });
      }
      const to = wantedDay(day) ?? dayOf(clock.now());
      const from = to - windowDays + 1;
      if (from < 0) throw new PlatformError('invalid_parameter', 'the log did not exist at that time');
      const days = (await reads.dayCounts(orb_id, from, to)).map(shownDay);
      const callers = by === 'caller' ? { callers: await callersOf(reads, orb_id, from, to) } : {};
      return reply({ headers: caching(call), body: { orb_id, days, ...callers } });
    },
  });

function shownDay({ day, callers, ok, fault, broken, fast, slow, others }: DayCounts) {
  const { resolved_ok = 0, swaps = 0, ...excluded } = others;
  return { day: dayText(day), callers, ok, fault, broken, fast, slow, resolved_ok, swaps, excluded };
}

async function callersOf(reads: RouteScope['reads'], orbId: string, from: number, to: number) {
  return (await reads.callerDays(orbId, from, to)).map(({ day, caller, ...counts }) => ({
    day: dayText(day),
    caller_ref: caller,
    ...counts,
  }));
}
