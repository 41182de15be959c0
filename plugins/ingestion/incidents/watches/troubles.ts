import { every, type Clock, type Ids, type Log } from '../../../../kernel/index.ts';
import type { Trouble } from '../../contract.ts';
import { ownEvent, type AlertEvent } from '../model/event.ts';
import type { Ask, TimedTrouble } from '../model/request.ts';
import { newest, type IncidentReads } from '../store/reading.ts';

/** Options of the troubles that plugins report. */
interface TroubleOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly ask: Ask;
  readonly reads: Pick<IncidentReads, 'events'>;
}

const retryMs = 5000;
const failed = 'the server could not record a problem that a plugin reported; it tries again';

/** Opens an incident for each trouble that a plugin reports, and closes it; each is one of its own and affects no status. */
export function recordTroubles({ ask, clock, log, reads }: TroubleOptions) {
  const pending = new Map<string, TimedTrouble>();
  let running: Promise<void> | undefined;
  let started = false;
  let stopTimer = (): void => undefined;
  const settle = async (): Promise<void> => {
    for (const [name, trouble] of pending) {
      if (await isNews(trouble, reads)) await ask({ kind: 'trouble', trouble });
      if (pending.get(name) === trouble) pending.delete(name);
    }
  };
  const run = (): void => {
    if (!started || running !== undefined || pending.size === 0) return;
    running = settle()
      .catch((err: unknown) => log.warn({ err }, failed))
      .finally(() => (running = undefined));
  };
  return {
    report(trouble: Trouble): void {
      pending.set(trouble.name, { ...trouble, occurred_ms: clock.now() });
      run();
    },
    start() {
      started = true;
      stopTimer = every(retryMs, run, (err) => log.warn({ err }, failed));
      run();
    },
    async stop() {
      stopTimer();
      started = false;
      await running;
    },
  };
}

/** Makes the event of a trouble; undefined when it is recorded already, as by another node that saw the same. */
export async function troubleEvent(
  trouble: TimedTrouble,
  { ids, reads }: { readonly ids: Ids; readonly reads: Pick<IncidentReads, 'events'> },
): Promise<AlertEvent | undefined> {
  const { name, occurred_ms, state, title } = trouble;
  const last = newest(await reads.events(name));
  if ((last?.state ?? 'resolved') === state) return undefined;
  // After a clock that was set back the end must not lie before the beginning.
  const at = Math.max(occurred_ms, (last?.occurred_ms ?? 0) + 1);
  const said = { fingerprint: name, key: name, occurred_ms: at, state, severity: 'info', rule: 'reported' } as const;
  return ownEvent(ids, { ...said, scope: [{ kind: 'component', id: 'runtime' }], vendor: 'platform', title });
}

async function isNews({ name, state }: Trouble, reads: Pick<IncidentReads, 'events'>): Promise<boolean> {
  return (newest(await reads.events(name))?.state ?? 'resolved') !== state;
}
