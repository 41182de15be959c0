import type { Awaitable } from '../../../kernel/index.ts';
import type { IncidentDebt } from '../contract.ts';
import type { State } from '../projection/state.ts';
import { withMinutes } from '../projection/tallies.ts';
import type { LedgerReads } from '../tables/reads.ts';
import { dayText } from '../score/day.ts';
import { burdensOf } from '../score/debt.ts';

/** The inputs for computing debts; `day` since the epoch. */
interface DebtOptions extends Pick<State, 'incidents' | 'orbs'> {
  readonly reads: Pick<LedgerReads, 'minutesOf'>;
  readonly day: number;
}

/** Lists the cost of one incident for each affected Orb, ignoring other incidents that overlap it. */
export function incidentDebts(
  incidentId: string,
  { incidents, orbs, reads, day }: DebtOptions,
): Awaitable<readonly IncidentDebt[]> {
  const incident = incidents.get(incidentId);
  if (incident === undefined || incident.integrity) return [];
  const named = incident.scope.flatMap(({ kind, id }) => (kind === 'orb' ? [id] : []));
  const ids = [...new Set([...named, ...orbs.keys()])].sort();
  return withMinutes(reads, (minutes) =>
    ids.flatMap((orb_id) => {
      const burdens = burdensOf({ orb_id }, incident, day, (from, to) => minutes(orb_id, from, to));
      const touching = burdens.filter(({ share }) => share.n > 0);
      if (touching.length === 0) return [];
      const debt_milli = touching.reduce((sum, burden) => sum + burden.debt_milli, 0);
      return [{ orb_id, debt_milli, snapshot_day: dayText(day) }];
    }),
  );
}
