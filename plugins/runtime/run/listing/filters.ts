import { orbNamespace, orbSelector } from '../../catalog/orb-id.ts';
import type { IdRange } from '../../tables/run-pages.ts';
import { runStatuses } from '../../facts/facts.ts';
import { PlatformError, similarTo, unfit, type Fault } from '../../../../kernel/index.ts';

const slug = { type: 'string', maxLength: 64 } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** The states of a run, in the order in which it can have them. */
export const runStates = ['queued', 'held', 'running', ...runStatuses] as const;
const states: readonly string[] = runStates;

/** Query members that select runs. */
export const runFilter = {
  status: {
    type: 'string',
    maxLength: 200,
    description: `Only runs with one of these statuses, separated by commas: ${runStates.map((one) => `\`${one}\``).join(', ')}`,
    examples: ['failed,timed_out'],
  },
  orb_id: {
    type: 'string',
    maxLength: 200,
    description: 'Only runs of these Orbs: an id, a name (all its versions), or `notify.*` (a namespace)',
    examples: ['notify.*'],
  },
  orbiset_id: { ...slug, description: 'Only runs of this Orbiset' },
  principal: { ...slug, description: 'Only runs of this caller' },
  key_id: { ...slug, description: 'Only runs that ended of this key' },
  provider: { ...slug, description: 'Only runs that ended with this provider' },
  reason: { type: 'string', maxLength: 200, description: 'Only runs with this reason' },
  from: { ...time, description: 'Accepted not before this time; a date is its 00:00 UTC' },
  to: { ...time, description: 'Accepted before this time; a date is its 00:00 UTC, so that day is not included' },
} as const;

/** The filters of a query of runs. */
export type RunQuery = { readonly [K in keyof typeof runFilter]?: string | undefined };

/** Reads statuses, separated by commas. Throws 400 `invalid_parameter` for a word that is none. */
export function statusesOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const all = [...new Set(text.split(',').map((one) => one.trim()))];
  const wrong = all.find((one) => !states.includes(one));
  if (wrong === undefined) return all;
  const meant = similarTo(wrong, states);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw unfitQuery('status', `must be one of ${states.join(', ')}, or several of them separated by commas${hint}`);
}

const selector = new RegExp(orbSelector);
const bareName = new RegExp(`^${orbNamespace}$`);

/**
 * Reads which Orbs are meant: an id, a namespace with `.*` as in scopes, or a bare name for all its versions. Throws 400
 * `invalid_parameter` for other texts.
 */
export function orbsOf(text: string | undefined): { readonly orb_id?: string; readonly orbs?: IdRange } {
  if (text === undefined) return {};
  // The character after `.` is `/`, the one after `@` is `A`: all ids between them start with the text.
  if (bareName.test(text)) return { orbs: { above: `${text}@`, below: `${text}A` } };
  if (!selector.test(text))
    throw unfitQuery(
      'orb_id',
      'must be the id of an Orb (notify.email@1.0.0), a name for all its versions (notify.email) or a namespace (notify.*)',
    );
  if (!text.endsWith('.*')) return { orb_id: text };
  const namespace = text.slice(0, -2);
  return { orbs: { above: `${namespace}.`, below: `${namespace}/` } };
}

/** Lists the faults of the filters of a query whose other parameters are wrong. */
export function filterFaults({
  orb_id,
  status,
}: {
  readonly orb_id?: unknown;
  readonly status?: unknown;
}): readonly Fault[] {
  return [
    ...faultsOf(() => orbsOf(typeof orb_id === 'string' ? orb_id : undefined)),
    ...faultsOf(() => statusesOf(typeof status === 'string' ? status : undefined)),
  ];
}

function faultsOf(read: () => unknown): readonly Fault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof PlatformError) return error.extensions.errors ?? [];
    throw error;
  }
}

function unfitQuery(name: string, detail: string): PlatformError {
  return unfit('invalid_parameter', name, detail, `query parameter ${name} ${detail}`);
}
