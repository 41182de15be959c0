import { every, timestamp, type Ids, type PluginScope } from '../../../../kernel/index.ts';
import type { LostEntries, TransparencyLog } from '../../../receipts/contract.ts';
import { ownEvent, type AlertEvent } from '../model/event.ts';
import type { Ask } from '../model/request.ts';
import type { IncidentReads } from '../store/reading.ts';

/** Options of the incidents of lost entries. */
interface LostOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log'> {
  readonly transparency: Pick<TransparencyLog, 'heads' | 'lostBefore' | 'onAppend'>;
  readonly ask: Ask;
  readonly reads: Pick<IncidentReads, 'incidents'>;
}

const lookMs = 5000;

/**
 * Opens an incident when the first entry of a shard attests that entries of the shard before it are lost, because the
 * database went back. No audit can find them again, so a person resolves it.
 */
export function watchLost({ ask, clock, log, reads, transparency }: LostOptions) {
  const looked = new Set<string>();
  let grown = true;
  let running = Promise.resolve();
  let stops: readonly (() => void)[] = [];
  const look = async (): Promise<void> => {
    if (!grown) return;
    grown = false;
    try {
      const fresh = (await transparency.heads()).map(({ origin }) => origin).filter((origin) => !looked.has(origin));
      if (fresh.length === 0) return;
      const at = timestamp(clock.now());
      for (const lost of await transparency.lostBefore(fresh))
        if (await isNews(lost, reads)) await ask({ kind: 'lost', lost, at });
      for (const origin of fresh) looked.add(origin);
    } catch (err) {
      grown = true;
      log.warn({ err }, 'the server could not check whether the log lost entries; it tries again');
    }
  };
  const next = (): void => void (running = running.then(look));
  return {
    start() {
      const failed = (err: unknown): void =>
        log.warn({ err }, 'the server could not search for lost entries of the log');
      stops = [transparency.onAppend(() => (grown = true)), every(lookMs, next, failed)];
      next();
    },
    async stop() {
      for (const stop of stops) stop();
      await running;
    },
  };
}

/** Makes the event of lost entries; undefined when it is recorded already, as by another node that saw the same. */
export async function lostEvent(
  { at, lost }: { readonly at: string; readonly lost: LostEntries },
  { ids, reads }: { readonly ids: Ids; readonly reads: Pick<IncidentReads, 'incidents'> },
): Promise<AlertEvent | undefined> {
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

async function isNews(lost: LostEntries, reads: Pick<IncidentReads, 'incidents'>): Promise<boolean> {
  return (await reads.incidents(keyOf(lost))).length === 0;
}

function keyOf({ origin }: LostEntries): string {
  return `lost:${origin}`;
}
