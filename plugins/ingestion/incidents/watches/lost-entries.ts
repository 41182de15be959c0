import { every, timestamp } from '../../../../kernel/index.ts';
import type { LostEntries } from '../../../receipts/contract.ts';
import { ownEvent } from '../model/event.ts';
import type { AskScope, IncidentScope } from '../store/scope.ts';
import { createReports } from './reports.ts';

const lookMs = 5000;

/**
 * Opens an incident when the first entry of a shard attests that entries of the shard before it are lost, because the
 * database went back. No audit can find them again, so a person resolves it.
 */
export function watchLost({ ask, clock, log, reads, transparency }: AskScope) {
  const checked = new Set<string>();
  const failed = (err: unknown): void =>
    log.warn({ err }, 'the server could not check whether the log lost entries; it tries again');
  const reports = createReports<LostEntries>(
    async (lost) => (await isNews(lost, reads)) && ask({ kind: 'lost', lost, at: timestamp(clock.now()) }),
    failed,
  );
  let grown = true;
  let running = Promise.resolve();
  let stops: readonly (() => void)[] = [];
  const check = async (): Promise<void> => {
    if (!grown) return;
    grown = false;
    try {
      const fresh = (await transparency.heads()).map(({ origin }) => origin).filter((origin) => !checked.has(origin));
      if (fresh.length === 0) return;
      for (const lost of await transparency.lostBefore(fresh)) reports.note(keyOf(lost), lost);
      for (const origin of fresh) checked.add(origin);
    } catch (err) {
      grown = true;
      failed(err);
    }
  };
  const next = (): void => void (running = running.then(check));
  return {
    start(): void {
      stops = [transparency.onAppend(() => (grown = true)), every(lookMs, next, failed)];
      reports.start();
      next();
    },
    async stop(): Promise<void> {
      for (const stop of stops) stop();
      await running;
      await reports.stop();
    },
  };
}

/** Makes the event of lost entries; undefined when it is recorded already, as by another node that saw the same. */
export async function lostEvent(lost: LostEntries, at: string, { ids, reads }: IncidentScope) {
  if (!(await isNews(lost, reads))) return undefined;
  const { from, origin, receipt_id, until } = lost;
  const key = keyOf(lost);
  return ownEvent(ids, {
    ...{ fingerprint: key, key, occurred_ms: Date.parse(at) },
    state: 'firing',
    severity: 'critical',
    scope: [],
    rule: 'lost',
    vendor: 'platform',
    title: `${until - from} entries of ${origin} are lost, from ${from} to ${until - 1}: ${receipt_id} shows that they were signed`,
  });
}

async function isNews(lost: LostEntries, reads: AskScope['reads']): Promise<boolean> {
  return (await reads.incidents(keyOf(lost))).length === 0;
}

function keyOf({ origin }: LostEntries): string {
  return `lost:${origin}`;
}
