import { canonical } from '../../../kernel/index.ts';
import type { Delivery } from './delivery.ts';
import type { PipelineOptions } from '../signals/source-queue.ts';
import type { Unnumbered } from '../signals/normalise/signal-from-draft.ts';
import type { Stored } from '../signals/normalise/normalize.ts';
import type { Signal } from '../signals/signal.ts';

const mostChanges = 100;

/** Says what reading a delivery anew would change, without changing it. */
export async function previewOf(
  { delivery_id }: Delivery,
  stored: Stored,
  { normaliser, reads }: Pick<PipelineOptions, 'normaliser' | 'reads'>,
): Promise<object> {
  const normalized = await normaliser.normalize(stored);
  const known = reads.signalsOfDelivery(delivery_id);
  const now = 'undecodable' in normalized ? [] : normalized.signals;
  const all = Array.from({ length: Math.max(known.length, now.length) }, (_, at) => changeOf(known[at], now[at], at));
  const changes = all.filter((change) => change !== undefined);
  const dead = 'undecodable' in normalized ? { outcome: 'dead', reason: normalized.undecodable } : undefined;
  const outcome = dead ?? { outcome: now.length === 0 ? 'ignored' : 'done' };
  return { ...outcome, unchanged: all.length - changes.length, changes: changes.slice(0, mostChanges) };
}

function changeOf(known: Signal | undefined, now: Unnumbered | undefined, ordinal: number): object | undefined {
  if (known === undefined) return { ordinal, change: 'added', members: membersOf({}, now ?? {}) };
  if (now === undefined) return { ordinal, change: 'removed', members: membersOf(known, {}) };
  const { signal_id: _, ...before } = known;
  const members = membersOf(before, now).filter(({ name }) => name !== 'normalizer_version');
  return members.length === 0 ? undefined : { ordinal, change: 'changed', members };
}

function membersOf(before: object, after: object) {
  const [old, fresh] = [before, after] as Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [was, is] = [old?.[name], fresh?.[name]];
    if (text(was) === text(is)) return [];
    return [{ name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }];
  });
}

function text(value: unknown): string {
  return value === undefined ? '' : canonical(value);
}
