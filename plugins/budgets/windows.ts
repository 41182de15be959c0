import type { Budget, BudgetScope, Period, Unit } from './settings.ts';

/** The times of a window, milliseconds since the Unix epoch. */
export interface Window {
  readonly starts_at: number;
  readonly ends_at: number;
}

/** Finds the window of a time by the calendar of UTC. */
export function windowOf(per: Period, at: number): Window {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (per === 'month') return { starts_at: Date.UTC(year, month), ends_at: Date.UTC(year, month + 1) };
  if (per === 'day') return { starts_at: Date.UTC(year, month, day), ends_at: Date.UTC(year, month, day + 1) };
  const starts = Math.floor(at / 60_000) * 60_000;
  return { starts_at: starts, ends_at: starts + 60_000 };
}

/** The subjects of one run: what has budgets, by scope. A run has several providers when one may stand in for another. */
export type Subjects = Readonly<Record<BudgetScope, readonly string[]>>;

/** A budget that applies to a run: one row of the store. */
export interface Row extends Window {
  /** When it ends, in 13 digits, then what it is: rows sort by their end. */
  readonly id: string;
  readonly scope: BudgetScope;
  readonly subject: string;
  readonly per: Period;
  readonly unit: Unit;
  readonly most: number;
}

/** Lists the budgets that apply to a run at a time, sorted by id: whoever locks several rows does so in one order. */
export function rowsOf(budgets: readonly Budget[], subjects: Subjects, at: number): readonly Row[] {
  const own = new Set(budgets.flatMap((one) => (one.of === undefined ? [] : [keyOf(one, one.of)])));
  const rows = budgets.flatMap((budget) => {
    const { scope, of, per, unit, limit: most } = budget;
    const window = windowOf(per, at);
    const counted = subjects[scope].filter((one) => (of === undefined ? !own.has(keyOf(budget, one)) : one === of));
    return counted.map((subject) => ({ ...idOf(budget, subject, window), scope, subject, per, unit, most }));
  });
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const keyOf = ({ scope, per, unit }: Budget, subject: string): string => `${scope} ${subject} ${per} ${unit}`;

function idOf(budget: Budget, subject: string, window: Window): Window & { readonly id: string } {
  return { ...window, id: `${firstRowAfter(window.ends_at - 1)} ${keyOf(budget, subject)}` };
}

/** Reads from the id of a row what it counts for, and in which unit. */
export function rowOfId(id: string): Pick<Row, 'scope' | 'subject' | 'unit'> {
  const [, scope, subject = '', unit] = /^\d{13} (\w+) (.+) \w+ (\w+)$/.exec(id) ?? [];
  // Only `idOf` makes ids.
  return { scope: scope as BudgetScope, subject, unit: unit as Unit };
}

/** The smallest id of a row whose window ends after a time. */
export function firstRowAfter(at: number): string {
  return String(at + 1).padStart(13, '0');
}
