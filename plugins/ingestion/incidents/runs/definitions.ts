import { every, type DefinitionChanged, type PluginScope } from '../../../../kernel/index.ts';
import { ownEvent, type AlertEvent } from '../cluster/event.ts';
import type { Engine } from '../engine.ts';
import { newest, type IncidentReads } from '../store/reading.ts';

/** Options of the incidents of changed definitions. */
interface DefinitionOptions extends Pick<PluginScope<unknown, never>, 'ids' | 'log' | 'hooks'> {
  readonly engine: Pick<Engine, 'add'>;
  readonly reads: Pick<IncidentReads, 'events'>;
}

const retryMs = 5000;

/**
 * Opens an incident of a provider when it defines the tool of an Orb otherwise than the Orb's manifest, or no longer
 * offers it, and closes the incident when no Orb is concerned any more.
 */
export function watchDefinitions({ engine, hooks, ids, log, reads }: DefinitionOptions) {
  const pending = new Map<string, DefinitionChanged>();
  let running: Promise<void> | undefined;
  let started = false;
  let stopTimer = (): void => undefined;
  const record = async (event: DefinitionChanged): Promise<void> => {
    const fingerprint = `definition:${event.orb_id}`;
    const state: AlertEvent['state'] = event.state === 'changed' || event.state === 'gone' ? 'firing' : 'resolved';
    const last = newest(await reads.events(fingerprint));
    if (state === 'resolved' && last?.state !== 'firing') return;
    const said = {
      ...{ fingerprint, key: `definition:${event.provider}`, occurred_ms: Date.parse(event.at), state },
      severity: 'high',
      scope: [{ kind: 'provider', id: event.provider }],
      rule: 'definition',
      vendor: 'platform',
      title: titleOf(event),
    } as const;
    await engine.add(ownEvent(ids, said));
  };
  const settle = async (): Promise<void> => {
    for (const [orbId, event] of pending) {
      await record(event);
      if (pending.get(orbId) === event) pending.delete(orbId);
    }
  };
  const run = (): void => {
    if (!started || running !== undefined || pending.size === 0) return;
    running = settle()
      .catch((err: unknown) => log.warn({ err }, 'a changed definition could not be recorded; the server tries again'))
      .finally(() => (running = undefined));
  };
  hooks.definitionChanged.tap('incidents', (event) => {
    pending.set(event.orb_id, event);
    run();
  });
  return {
    start() {
      started = true;
      stopTimer = every(retryMs, run, (err) => log.warn({ err }, 'changed definitions could not be recorded'));
      run();
    },
    async stop() {
      stopTimer();
      started = false;
      await running;
    },
  };
}

function titleOf({ orb_id, tool, provider, state, definition_digest, found_digest }: DefinitionChanged): string {
  if (state === 'gone') return `${provider} no longer offers the tool ${tool} of ${orb_id} (${definition_digest})`;
  const found = found_digest ?? 'none';
  return `${provider} defines the tool ${tool} of ${orb_id} otherwise: ${found}, not ${definition_digest}`;
}
