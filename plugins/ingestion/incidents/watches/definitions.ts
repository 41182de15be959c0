import { every, type DefinitionChanged, type Ids, type PluginScope } from '../../../../kernel/index.ts';
import { ownEvent, type AlertEvent } from '../model/event.ts';
import type { Ask } from '../model/request.ts';
import { newest, type IncidentReads } from '../store/reading.ts';

/** Options of the incidents of changed definitions. */
interface DefinitionOptions extends Pick<PluginScope<unknown, never>, 'log' | 'hooks'> {
  readonly ask: Ask;
  readonly reads: Pick<IncidentReads, 'events'>;
}

const retryMs = 5000;

/**
 * Opens an incident of a provider when it defines the tool of an Orb otherwise than the Orb's manifest, or no longer
 * offers it, and closes the incident when no Orb is concerned any more.
 */
export function watchDefinitions({ ask, hooks, log, reads }: DefinitionOptions) {
  const pending = new Map<string, DefinitionChanged>();
  let running: Promise<void> | undefined;
  let started = false;
  let stopTimer = (): void => undefined;
  const settle = async (): Promise<void> => {
    for (const [orbId, definition] of pending) {
      if (await isNews(definition, reads)) await ask({ kind: 'definition', definition });
      if (pending.get(orbId) === definition) pending.delete(orbId);
    }
  };
  const run = (): void => {
    if (!started || running !== undefined || pending.size === 0) return;
    running = settle()
      .catch((err: unknown) =>
        log.warn({ err }, 'the server could not record the changed definition of a tool; it tries again'),
      )
      .finally(() => (running = undefined));
  };
  hooks.definitionChanged.tap('incidents', (event) => {
    pending.set(event.orb_id, event);
    run();
  });
  return {
    start() {
      started = true;
      stopTimer = every(retryMs, run, (err) =>
        log.warn({ err }, 'the server could not record changed definitions of tools'),
      );
      run();
    },
    async stop() {
      stopTimer();
      started = false;
      await running;
    },
  };
}

/** Makes the event of a changed definition; undefined when it is recorded already, as by another node that saw the same. */
export async function definitionEvent(
  definition: DefinitionChanged,
  { ids, reads }: { readonly ids: Ids; readonly reads: Pick<IncidentReads, 'events'> },
): Promise<AlertEvent | undefined> {
  if (!(await isNews(definition, reads))) return undefined;
  const { at, provider } = definition;
  return ownEvent(ids, {
    ...{ fingerprint: fingerprintOf(definition), key: `definition:${provider}`, occurred_ms: Date.parse(at) },
    state: stateOf(definition),
    severity: 'high',
    scope: [{ kind: 'provider', id: provider }],
    rule: 'definition',
    vendor: 'platform',
    title: titleOf(definition),
  });
}

async function isNews(definition: DefinitionChanged, reads: Pick<IncidentReads, 'events'>): Promise<boolean> {
  const last = newest(await reads.events(fingerprintOf(definition)));
  if (stateOf(definition) === 'resolved') return last?.state === 'firing';
  return last?.state !== 'firing' || last.title !== titleOf(definition);
}

function fingerprintOf({ orb_id }: DefinitionChanged): string {
  return `definition:${orb_id}`;
}

function stateOf({ state }: DefinitionChanged): AlertEvent['state'] {
  return state === 'changed' || state === 'gone' ? 'firing' : 'resolved';
}

function titleOf({ orb_id, tool, provider, state, definition_digest, found_digest }: DefinitionChanged): string {
  if (state === 'gone') return `${provider} no longer offers the tool ${tool} of ${orb_id} (${definition_digest})`;
  const found = found_digest ?? 'none';
  return `${provider} defines the tool ${tool} of ${orb_id} otherwise: ${found}, not ${definition_digest}`;
}
