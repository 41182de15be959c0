import {
  eraseAll,
  every,
  operation,
  type Clock,
  type Held,
  type Log,
  type Principal,
  type Store,
} from '../../../kernel/index.ts';
import type { ChatMessage, ContentPart, Opaque } from '../../../providers/llm/contract.ts';
import type { SignatureKeeper } from '../scope.ts';
import modelsStore, { type SignatureReads } from '../store.ts';

/** How long a client has to send the results of its tools, ms. */
export const keptMs = 3_600_000;
const sweepMs = 600_000;
/** A longer one is not kept; clients that send it back need no copy. */
const mostBytes = 2 ** 20;

/** Whose signatures they are. */
type Owner = Pick<Principal, 'id' | 'tenant'>;

/** What signatures are kept with. */
export interface SignatureScope {
  readonly store: Pick<Store, 'peers' | 'sealer' | 'write'>;
  readonly reads: SignatureReads;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

type Inputs = Readonly<Record<string, unknown>>;

/**
 * Keeps what only the vendor of an answer can read, and what it must get back with the results of tools: clients drop it,
 * since their API has no member for it. Sealed, by principal and call of a tool, for an hour.
 */
export class Signatures implements SignatureKeeper {
  readonly #scope: SignatureScope;

  constructor(scope: SignatureScope) {
    this.#scope = scope;
  }

  /** A store that is away costs no more than the signature. */
  async keep({ reasoning, tool_calls }: Inputs, owner: Owner): Promise<void> {
    const opaque = (reasoning as { readonly opaque?: Opaque } | undefined)?.opaque;
    const [first] = (tool_calls ?? []) as readonly { readonly id: string }[];
    if (opaque === undefined || first === undefined || opaque.data.length > mostBytes) return;
    const { clock, log, store } = this.#scope;
    const sealed = store.sealer.seal('models', Buffer.from(JSON.stringify(opaque)));
    const row = { id: this.#idOf(first.id, owner), sealed, expires_at: clock.now() + keptMs };
    try {
      await store.write([operation(modelsStore, 'keep', row)]);
    } catch (err) {
      log.warn({ err }, 'the signature of an answer could not be kept; its client must send it back');
    }
  }

  async restored<T extends Inputs>(inputs: T, owner: Owner): Promise<T> {
    const { prompt } = inputs;
    if (typeof prompt === 'object' && prompt !== null)
      return { ...inputs, prompt: await this.restored(prompt as Inputs, owner) };
    const messages = (inputs['messages'] ?? []) as readonly ChatMessage[];
    const ids = new Map(messages.flatMap((message) => this.#missing(message, owner)));
    if (ids.size === 0) return inputs;
    const found = await this.#kept([...ids.values()]);
    if (found.size === 0) return inputs;
    return {
      ...inputs,
      messages: messages.map((message) => withSignature(message, found.get(ids.get(message) ?? ''))),
    };
  }

  /** Erases what has expired, on one node; answers how it ends. */
  sweep(): Held['stop'] {
    const { clock, log, store } = this.#scope;
    const work = () => eraseAll(store, (most) => operation(modelsStore, 'erase', { before: clock.now(), most }));
    const failed = (err: unknown): void => log.warn({ err }, 'expired signatures of answers could not be erased');
    return store.peers.whenHeld('models', () => every(sweepMs, work, failed)).stop;
  }

  #missing(message: ChatMessage, owner: Owner): [ChatMessage, string][] {
    const [first] = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    return first === undefined || hasSignature(message) ? [] : [[message, this.#idOf(first.id, owner)]];
  }

  async #kept(ids: readonly string[]): Promise<ReadonlyMap<string, Opaque>> {
    const { clock, reads, store } = this.#scope;
    const rows = (await reads.kept(ids)).filter(({ expires_at }) => expires_at > clock.now());
    const opened = (sealed: Uint8Array) => Buffer.from(store.sealer.open('models', sealed)).toString();
    return new Map(rows.map(({ id, sealed }) => [id, JSON.parse(opened(sealed)) as Opaque]));
  }

  #idOf(callId: string, { id, tenant }: Owner): string {
    return this.#scope.store.sealer.mac('models', JSON.stringify([tenant, id, callId]));
  }
}

function hasSignature({ content }: ChatMessage): boolean {
  return typeof content !== 'string' && content.some((part) => part.type === 'reasoning' && part.opaque !== undefined);
}

function withSignature(message: ChatMessage, opaque: Opaque | undefined): ChatMessage {
  if (opaque === undefined) return message;
  const { content } = message;
  const said: readonly ContentPart[] =
    typeof content !== 'string' ? content : content === '' ? [] : [{ type: 'text', text: content }];
  return { ...message, content: [{ type: 'reasoning', opaque }, ...said] };
}
