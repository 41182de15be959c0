import { every, type PluginScope } from '../../../../kernel/index.ts';
import type { Trouble } from '../../contract.ts';
import { ownEvent } from '../cluster/event.ts';
import type { Engine } from '../engine.ts';
import { newest, type IncidentReads } from '../store/reading.ts';

/** Options of the troubles that plugins report. */
interface TroubleOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log'> {
  readonly engine: Pick<Engine, 'add'>;
  readonly reads: Pick<IncidentReads, 'events'>;
}

const retryMs = 5000;
const failed = 'a trouble that a plugin reported could not be recorded; the server tries again';

/** Opens an incident for each trouble that a plugin reports, and closes it; each is one of its own and affects no status. */
export function recordTroubles({ clock, engine, ids, log, reads }: TroubleOptions) {
  const pending = new Map<string, Trouble & { readonly occurred_ms: number }>();
  let running: Promise<void> | undefined;
  let started = false;
  let stopTimer = (): void => undefined;
  const record = async ({ name, state, title, occurred_ms }: Trouble & { readonly occurred_ms: number }) => {
    const last = newest(await reads.events(name));
    if ((last?.state ?? 'resolved') === state) return;
    // After a clock that was set back the end must not lie before the beginning.
    const at = Math.max(occurred_ms, (last?.occurred_ms ?? 0) + 1);
    const said = { fingerprint: name, key: name, occurred_ms: at, state, severity: 'info', rule: 'reported' } as const;
    await engine.add(
      ownEvent(ids, { ...said, scope: [{ kind: 'component', id: 'runtime' }], vendor: 'platform', title }),
    );
  };
  const settle = async (): Promise<void> => {
    for (const [name, trouble] of pending) {
      await record(trouble);
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
