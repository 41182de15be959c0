import { eraseAll, every, operation, type PluginScope } from '../../../kernel/index.ts';
import type { HealthChange } from '../../runtime/contract.ts';
import healthStore from './store.ts';

type NotingScope = Pick<PluginScope<unknown, never>, 'clock' | 'log'> & {
  readonly store: Pick<PluginScope<unknown, never>['store'], 'write'>;
};

const tidyMs = 3_600_000;
const dayMs = 86_400_000;

/** Creates what notes changes of the health of providers, and forgets old ones; `tidies`: of several nodes, one does. */
export function noteHealth({ clock, log, store }: NotingScope, keptDays: number, tidies: () => boolean) {
  const forget = (): unknown => {
    const before = clock.now() - keptDays * dayMs;
    return tidies() && eraseAll(store, (most) => operation(healthStore, 'forget', { before, most }));
  };
  const stop = every(tidyMs, forget, (err) => log.warn({ err }, 'old health of providers could not be deleted'));
  return {
    stop,
    /** Notes a change; without a store, as during its outage, it is not kept. */
    note({ name: provider, to: health, reason = '', detail = reason, at }: HealthChange): void {
      const change = { provider, at: Date.parse(at), health, reason: detail };
      store
        .write([operation(healthStore, 'note', change)])
        .catch((err: unknown) => log.debug({ err }, 'a change of provider health could not be stored'));
    },
  };
}
