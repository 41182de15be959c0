import { useGet, type Reading } from '../../frame/resource.ts';
import type { Policy } from '../../frame/wire.ts';

interface PolicyPage {
  readonly policies: readonly Policy[];
  readonly total: number;
}

const pageSize = 100;

/** Reads all policies: a folder has at most 200 files, which are two pages, and drafts may come on top. */
export function usePolicies(): Reading<readonly Policy[]> {
  const first = useGet<PolicyPage>(pageAt(0));
  const total = first.value?.total ?? 0;
  const second = useGet<PolicyPage>(total > pageSize ? pageAt(pageSize) : undefined);
  const third = useGet<PolicyPage>(total > 2 * pageSize ? pageAt(2 * pageSize) : undefined);
  const pages = [first, second, third];
  return {
    value: first.value && pages.flatMap(({ value }) => value?.policies ?? []),
    problem: pages.find(({ problem }) => problem !== undefined)?.problem,
    loading: pages.some(({ loading }) => loading),
    reload: () => pages.forEach(({ reload }) => reload()),
  };
}

const pageAt = (offset: number): string => `/policies?limit=${pageSize}${offset === 0 ? '' : `&offset=${offset}`}`;
