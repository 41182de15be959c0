import { useRef, useState } from 'preact/hooks';
import { withQuery } from '../../frame/api.ts';
import { useGet } from '../../frame/resource.ts';
import { useScope } from '../../frame/session.ts';
import type { RunCounts } from '../../frame/wire.ts';
import { isOpenState, runStates } from './run.ts';

/** Values with what they are called. */
export type Options = readonly (readonly [value: string, name: string])[];

const leastMs = 5000;

/** Reads the numbers of runs by the values of filters; again when the reader comes to them, not with each run. */
export function useCounts(query: Readonly<Record<string, string>>) {
  const known = useScope('runs:read');
  const { status, orb_id, orbiset_id, provider, from, to } = query;
  const counted = withQuery('/runs/counts', { status, orb_id, orbiset_id, provider, from, to });
  const { value, reload } = useGet<RunCounts>(known ? counted : undefined);
  const [read, setRead] = useState(() => Date.now());
  // The lists keep their values while the numbers of other filters are read.
  const last = useRef(value);
  last.current = value ?? last.current;
  const again = (): void => {
    if (Date.now() - read < leastMs) return;
    setRead(Date.now());
    reload();
  };
  return { known, value: last.current, again };
}

const countText = (runs: number): string => ` (${runs.toLocaleString('en')})`;
const withoutUnderlines = (status: string): string => status.replaceAll('_', ' ').replaceAll(',', ', ');

/** Lists the states of runs with their numbers; those that are chosen together are one value. */
export function statusOptions(counts: RunCounts | undefined, chosen = ''): Options {
  const states = Object.keys(runStates);
  const named = [...states, ...(chosen === '' || states.includes(chosen) ? [] : [chosen])].map((status) => {
    const runs = counts?.status.find(({ value }) => value === status)?.runs ?? 0;
    const counted = counts !== undefined && states.includes(status) && !isOpenState(status);
    return [status, withoutUnderlines(status) + (counted ? countText(runs) : '')] as const;
  });
  return [['', 'Any'], ...named];
}

/** Lists the values of a filter with their numbers, and the chosen one, whether or not a run has it. */
export function facetOptions(counted: RunCounts['orb_id'] | undefined, chosen = ''): Options {
  const named = (counted ?? []).map(({ value, runs }) => [value, value + countText(runs)] as const);
  const absent = chosen !== '' && !named.some(([value]) => value === chosen);
  return [['', 'Any'], ...(absent ? [[chosen, chosen] as const] : []), ...named];
}
