import type { RuntimeScope } from '../facts/scope.ts';
import runtimeStore from '../store.ts';
import type { Bindings } from '../provider/bindings.ts';
import { definitionTopic } from '../tables/node-messages.ts';
import { messageOf, type Transport } from '../provider/transport.ts';
import type { DefinitionChanged } from '../facts/hooks.ts';
import { operation } from '../../../kernel/index.ts';

type ToldDefinitionOptions = Pick<RuntimeScope, 'log' | 'store'>;

const readMs = 1500;

/** Makes what tells the other nodes when a provider defines a tool again: they read its tools at once. */
export function tellDefinitions({ log, store }: ToldDefinitionOptions): (event: DefinitionChanged) => void {
  const known = new Map<string, string>();
  return ({ orb_id, found_digest, provider, state }) => {
    const before = known.get(orb_id) ?? 'pinned';
    const now = state === 'changed' ? `changed ${found_digest}` : state;
    if (state === 'released') known.delete(orb_id);
    else known.set(orb_id, now);
    if (!store.shared || state === 'released' || before === now) return;
    store
      .write([operation(runtimeStore, 'tellDefinitions', { provider })])
      .catch((err: unknown) =>
        log.warn(
          { err, provider },
          `other nodes could not be notified that the tools of provider ${provider} are valid again`,
        ),
      );
  };
}

/** Reads the tools of the providers that another node names. */
export function followDefinitions(bindings: Pick<Bindings, 'all'>, { log, store }: ToldDefinitionOptions): void {
  const reload = async (providers: readonly string[]): Promise<void> => {
    const read = (transport: Transport): Promise<void> =>
      transport.offers(readMs).then(
        () => undefined,
        (error: unknown) =>
          log.warn({ reason: messageOf(error) }, 'the tools that another node reported as changed could not be read'),
      );
    await Promise.all([...transportsOf(bindings, providers)].map(read));
  };
  // A read that is late ends in the background.
  store.peers.follow(definitionTopic, reload, () => undefined);
}

function transportsOf(bindings: Pick<Bindings, 'all'>, providers: readonly string[]): ReadonlySet<Transport> {
  const found = new Set<Transport>();
  for (const { order } of bindings.all())
    for (const { generation, provider } of order)
      if (generation !== undefined && providers.includes(provider.name)) found.add(generation.transport);
  return found;
}
