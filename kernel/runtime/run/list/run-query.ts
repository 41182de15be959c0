import { PlatformError } from '../../../error.ts';
import type { Fault } from '../../../tools/schema/fault.ts';
import { similarTo } from '../../../tools/text/similar.ts';
import { orbNamespace, orbSelector } from '../../catalog/orb-id.ts';
import type { IdRange } from './run-pages.ts';

/** Reads statuses, separated by commas. Throws 400 `invalid_parameter` for a word that is none. */
export function statusesOf(text: string | undefined, known: readonly string[]): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const all = [...new Set(text.split(',').map((one) => one.trim()))];
  const wrong = all.find((one) => !known.includes(one));
  if (wrong === undefined) return all;
  const meant = similarTo(wrong, known);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw unfit('status', `must be one of ${known.join(', ')}, or several of them separated by commas${hint}`);
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
    throw unfit(
      'orb_id',
      'must be the id of an Orb (notify.email@1.0.0), a name for all its versions (notify.email) or a namespace (notify.*)',
    );
  if (!text.endsWith('.*')) return { orb_id: text };
  const namespace = text.slice(0, -2);
  return { orbs: { above: `${namespace}.`, below: `${namespace}/` } };
}

/** Lists the faults of the filters of a query whose other parameters are wrong. */
export function filterFaults(
  { orb_id, status }: { readonly orb_id?: unknown; readonly status?: unknown },
  known: readonly string[],
): readonly Fault[] {
  return [
    ...faultsOf(() => orbsOf(typeof orb_id === 'string' ? orb_id : undefined)),
    ...faultsOf(() => statusesOf(typeof status === 'string' ? status : undefined, known)),
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

function unfit(name: string, detail: string): PlatformError {
  return new PlatformError('invalid_parameter', `query parameter ${name} ${detail}`, {
    errors: [{ pointer: `#/${name}`, detail }],
  });
}
