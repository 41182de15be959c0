import type { Orb } from '../catalog/orb.ts';
import type { Transport } from './transport.ts';
import type { DefinitionChanged } from '../facts/hooks.ts';
import { timestamp, type Clock } from '../../../kernel/index.ts';

/** The dependencies of the watch. */
export interface DefinitionWatchOptions {
  readonly clock: Clock;
  /** Returns the Orbs in service. */
  readonly orbs: () => Iterable<Orb>;
  readonly tell: (event: DefinitionChanged) => void;
}

/** Compares the definitions that providers offer with the manifests of the Orbs that represent them. */
export class DefinitionWatch {
  readonly #options: DefinitionWatchOptions;
  /** Orb id → what was found last. */
  readonly #known = new Map<string, string>();

  constructor(options: DefinitionWatchOptions) {
    this.#options = options;
  }

  /** Compares the tools of an open transport with the Orbs that name its provider. */
  look(transport: Transport): void {
    const { clock, orbs, tell } = this.#options;
    let redefined = false;
    for (const { orb_id, manifest } of orbs()) {
      const { upstream } = manifest;
      if (upstream?.provider !== transport.provider.name) continue;
      const { provider, tool, definition_digest } = upstream;
      const found = transport.definitionOf(tool);
      const state = found === undefined ? 'gone' : found === definition_digest ? 'pinned' : 'changed';
      redefined ||= state !== 'pinned';
      const known = `${definition_digest} ${state} ${found ?? ''}`;
      if (this.#known.get(orb_id) === known) continue;
      this.#known.set(orb_id, known);
      const at = timestamp(clock.now());
      const digests = { definition_digest, ...(found === undefined ? {} : { found_digest: found }) };
      tell({ orb_id, provider, tool, state, ...digests, at });
    }
    transport.health.redefined(redefined);
  }

  /** Tells that an Orb is no longer in service. */
  forget({ orb_id, manifest }: Orb): void {
    const { upstream } = manifest;
    if (upstream === undefined || !this.#known.delete(orb_id)) return;
    const { provider, tool, definition_digest } = upstream;
    const at = timestamp(this.#options.clock.now());
    this.#options.tell({ orb_id, provider, tool, state: 'released', definition_digest, at });
  }
}
