import type { PluginScope, Principal, RequestInfo } from '../../kernel/index.ts';
import type { TokenRateOf } from '../budgets/contract.ts';
import type { Runtime } from '../runtime/contract.ts';

/** What the parts of the plugin share. */
export interface ModelsScope extends Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'platform'> {
  readonly runtime: Runtime;
  /** Time of silence after which a stream sends something to keep its connection open, ms. */
  readonly keepaliveMs: number;
  /** Reads what is left of the tokens of a minute; undefined: no budget limits them. */
  readonly tokenRate: TokenRateOf | undefined;
  /** When this server began to offer a model, ms. */
  readonly since: (model: string) => number;
}

/** A request of a caller whose scope was checked. */
export type Asking = RequestInfo & { readonly principal: Principal; readonly body: unknown };

/** The Orb of chat. */
export const chatOrb = 'llm.chat@1.0.0';

/** The Orb that counts the tokens of a conversation. */
export const countOrb = 'llm.count@1.0.0';

/** The Orb of embeddings. */
export const embedOrb = 'llm.embed@1.0.0';
