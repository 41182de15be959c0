import { unfit } from '../../../kernel/index.ts';

/** A subscription that a run names, to get a callback when it ends. */
export interface CallbackAsked {
  readonly subscription_id: string;
  readonly orbiset_id: string;
  readonly tenant: string;
}

/** A run that may name a subscription. */
interface Naming {
  readonly callback?: { readonly subscription_id: string } | undefined;
  readonly orbiset: { readonly id: string; readonly tenant: string };
}

/** Says why a subscription cannot get a callback about a run; undefined: it can. */
export type CallbackCheck = (asked: CallbackAsked) => string | undefined;

/** Asks the plugins that make callbacks whether they can make that of a run. */
export class CallbackChecks {
  readonly #all = new Set<{ readonly check: CallbackCheck }>();

  /** Adds a check; the function that is returned removes it. */
  add(check: CallbackCheck): () => void {
    const place = { check };
    this.#all.add(place);
    return () => void this.#all.delete(place);
  }

  /** Throws 422 `invalid_body` if no plugin can send callbacks to the subscription that a run names. */
  require({ callback, orbiset }: Naming): void {
    if (callback === undefined) return;
    const { subscription_id } = callback;
    let detail = 'no plugin makes callbacks';
    for (const { check } of this.#all) {
      const fault = check({ subscription_id, orbiset_id: orbiset.id, tenant: orbiset.tenant });
      if (fault === undefined) return;
      detail = fault;
    }
    throw unfit('invalid_body', 'callback/subscription_id', detail, `callback.subscription_id: ${detail}`);
  }
}
