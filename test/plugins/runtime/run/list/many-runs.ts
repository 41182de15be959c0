import { firstIdAt } from '../../../../../kernel/index.ts';

// A few of one namespace, many of another.
const runOrbs: readonly string[] = [
  ...['few.a@1.0.0', 'few.a@2.0.0', 'few.b@1.0.0', 'fewer.a@1.0.0'],
  ...Array.from({ length: 20 }, (_, at) => `many.o${at}@1.0.0`),
];

/** The Orb of a run by its number: the few have runs only among the oldest. */
export function orbOf(number: number): string {
  return runOrbs[number < 40 ? number % 4 : 4 + (number % 20)] ?? '';
}

/** The status of a run by its number: nearly all completed. */
export function runStatuses(number: number): string {
  if (number % 5000 === 17) return 'failed';
  return number === 3 || number === 20_001 ? 'denied' : 'completed';
}

const columns = [
  ...['run_id', 'tenant', 'orbiset_id', 'orb_id', 'principal', 'status', 'mode', 'started_at', 'finished_at'],
  ...['execution_ms', 'receipt_id'],
];

/** Fills a table of runs. */
export function fillRuns(
  total: number,
  insert: (columns: readonly string[], rows: readonly (readonly (string | number)[])[]) => void,
): void {
  const rowOf = (number: number): readonly (string | number)[] => {
    const at = Date.UTC(2026, 0, 1) + number * 1000;
    const time = new Date(at).toISOString();
    const [tenant, principal] = number % 3 === 0 ? ['b', 'prn_b'] : ['a', 'prn_a'];
    return [
      ...[firstIdAt('run', at), tenant, 'default', orbOf(number), principal, runStatuses(number), 'live'],
      ...[time, time, 1, 'rec_1'],
    ];
  };
  insert(
    columns,
    Array.from({ length: total }, (_, number) => rowOf(number)),
  );
}
