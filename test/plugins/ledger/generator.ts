import type { Profile, TierEvent } from '../../../plugins/ledger/contract.ts';
import { debtOf, noDebt, type Debt, type MinuteCounts } from '../../../plugins/ledger/score/debt.ts';
import { evaluate, type Evaluation } from '../../../plugins/ledger/score/evaluate.ts';
import { totalsOf, type CallerDay, type Totals } from '../../../plugins/ledger/score/totals.ts';
import { rowsHeld } from '../../../plugins/ledger/tier/gates.ts';
import { newMachine, step } from '../../../plugins/ledger/tier/machine.ts';
import type { Tier } from '../../../plugins/ledger/shapes.ts';
import type { Incident } from '../../../plugins/ledger/fact/incident.ts';

/** A run of the generator: everything that is not said otherwise is good. */
export interface Generated {
  readonly day: number;
  readonly caller: number;
  /** Place among the runs of the caller that day. */
  readonly j: number;
  /** 1, 2, … over all. */
  readonly i: number;
  /** Place in the day, seconds after 12:00:00. */
  readonly second: number;
}

/** What may be said of runs. */
export interface Said {
  readonly fails?: (run: Generated) => boolean;
  readonly broken?: (run: Generated) => boolean;
  readonly slow?: (run: Generated) => boolean;
  readonly provider?: (run: Generated) => string;
  readonly noObjective?: boolean;
}

/** G(days, callers, per): the literal generator of the reference. */
export function* generate(days: number, callers: number, per: number | readonly number[]): Generator<Generated> {
  let i = 0;
  for (let day = 0; day < days; day++) {
    let second = 0;
    for (let caller = 0; caller < callers; caller++) {
      const runs = typeof per === 'number' ? per : (per[caller] ?? 0);
      for (let j = 0; j < runs; j++) yield { day, caller, j, i: ++i, second: second++ };
    }
  }
}

/** Raw counts of one Orb. */
export interface Counted {
  readonly rows: readonly CallerDay[];
  readonly minutes: MinuteCounts;
}

/** Counts generated runs as the ledger does. */
export function count(runs: Iterable<Generated>, said: Said = {}, startDay = 0): Counted {
  const rows = new Map<string, { -readonly [K in keyof CallerDay]: CallerDay[K] }>();
  const minutes = new Map<string, { minute: number; provider: string; n: number; fault: number }>();
  for (const run of runs) {
    const day = run.day + startDay;
    const key = `${day}/${run.caller}`;
    const row = rows.get(key) ?? { day, caller: String(run.caller), ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 };
    rows.set(key, row);
    const broken = said.broken?.(run) === true;
    const failed = broken || said.fails?.(run) === true;
    if (failed) row.fault += 1;
    else row.ok += 1;
    if (broken) row.broken += 1;
    if (!failed && said.noObjective !== true) row[said.slow?.(run) === true ? 'slow' : 'fast'] += 1;
    const minute = day * 1440 + 720 + Math.floor(run.second / 60);
    const provider = said.provider?.(run) ?? 'a';
    const at = `${minute}/${provider}`;
    const counted = minutes.get(at) ?? { minute, provider, n: 0, fault: 0 };
    minutes.set(at, counted);
    counted.n += 1;
    if (failed) counted.fault += 1;
  }
  return { rows: [...rows.values()], minutes: countsOf([...minutes.values()]) };
}

function countsOf(cells: readonly { minute: number; provider: string; n: number; fault: number }[]): MinuteCounts {
  return (from, to) => {
    const sums = new Map<string, { provider: string; n: number; fault: number }>();
    for (const { minute, provider, n, fault } of cells) {
      if (minute < from || minute > to) continue;
      const sum = sums.get(provider) ?? { provider, n: 0, fault: 0 };
      sums.set(provider, sum);
      sum.n += n;
      sum.fault += fault;
    }
    return [...sums.values()];
  };
}

/** Judges counted runs on a day. */
export function judge(
  counted: Counted,
  day: number,
  options: { readonly profile?: Profile; readonly incidents?: readonly Incident[]; readonly parent?: Totals } = {},
): { readonly evaluation: Evaluation; readonly debt: Debt; readonly rows: readonly boolean[] } {
  const { profile = 'multi-tenant', incidents = [], parent } = options;
  const debt = incidents.length === 0 ? noDebt : debtOf({ orb_id: 'orb' }, incidents, day, counted.minutes);
  const own = totalsOf(counted.rows, day);
  const evaluation = evaluate({ profile, day, own, debt, ...(parent === undefined ? {} : { parent }) });
  return { evaluation, debt, rows: rowsHeld({ evaluation, debt, signed: true, profile }) };
}

/** Takes an Orb through its snapshots, day by day, and tells the day of each change of tier. */
export function timeline(counted: Counted, until: number, profile: Profile = 'multi-tenant'): readonly string[] {
  let machine = newMachine;
  const events: TierEvent[] = [];
  const days: number[] = [];
  for (let day = 0; day <= until; day++) {
    const { evaluation, debt } = judge(counted, day, { profile });
    const next = step(machine, { evaluation, debt, signed: true, profile }, [], day);
    machine = next.machine;
    for (const event of next.events) {
      events.push(event);
      days.push(day);
    }
  }
  return events.map(({ to }: { to: Tier }, at) => `${to} ${days[at] ?? ''}`);
}

/** The incident I of the reference. */
export function incidentI(more: Partial<Incident> = {}): Incident {
  return {
    incident_id: 'inc_1',
    change_number: 1,
    retracted: false,
    state: 'open',
    severity: 'critical',
    scope: [{ kind: 'provider', id: 'a' }],
    starts_at: new Date(59 * 86_400_000).toISOString(),
    integrity: false,
    own: false,
    closed_by_person: false,
    deliveries: [
      { delivery_id: 'd1', source_id: 's1', auth_strength: 'strong' },
      { delivery_id: 'd2', source_id: 's2', auth_strength: 'strong' },
    ],
    ...more,
  };
}
