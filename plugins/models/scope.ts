import type { PluginScope, Principal, RequestInfo } from '../../kernel/index.ts';
import type { TokenRateOf } from '../budgets/contract.ts';
import type { Runtime } from '../runtime/contract.ts';

type Members = Readonly<Record<string, unknown>>;
type Owner = Pick<Principal, 'id' | 'tenant'>;

/** Keeps what the vendor of an answer must get back with the results of tools. */
export interface SignatureKeeper {
  /** Keeps the signature of an answer that calls tools. */
  keep(outputs: Members, owner: Owner): Promise<void>;
  /** Adds to the inputs of `llm.chat` and `llm.count` the signatures that their client has dropped. */
  restored<T extends Members>(inputs: T, owner: Owner): Promise<T>;
}

/** What the parts of the plugin share. */
export interface ModelsScope extends Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'platform'> {
  readonly runtime: Runtime;
  /** Time of silence after which a stream sends something to keep its connection open, ms. */
  readonly keepaliveMs: number;
  readonly signatures: SignatureKeeper;
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
