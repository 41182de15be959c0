import { every, operation, within, type Awaitable, type PluginScope } from '../../../kernel/index.ts';
import { statusPart, type NodeServices } from './store.ts';
import { folded, type Services } from './measure.ts';

type NodesOptions = Pick<PluginScope<unknown, never>, 'store' | 'log'> & {
  readonly reads: { nodes(): Awaitable<readonly NodeServices[]> };
};

const lookMs = 1000;
const patienceMs = 2000;

/** The measurements of the nodes of one database: this node publishes its own and reads those of the others. */
export class Nodes {
  readonly #options: NodesOptions;
  #others: readonly Services[] = [];
  #own: Services | undefined;
  #shown: Services | undefined;
  #stop = (): void => undefined;

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  start(): void {
    const failed = (err: unknown): void =>
      this.#options.log.debug({ err }, 'the status of other nodes could not be read; the server tries again');
    this.#stop = every(lookMs, () => this.#look(), failed);
  }

  stop(): void {
    this.#stop();
  }

  /** Folds what this node measures now with what the others told. */
  fold(own: Services): Services {
    this.#own = own;
    return folded([own, ...this.#others]);
  }

  async #look(): Promise<void> {
    try {
      await within(patienceMs, this.#exchange());
    } catch (error) {
      // The status of unreachable nodes is unknown, so report only this node.
      this.#others = [];
      throw error;
    }
  }

  async #exchange(): Promise<void> {
    const { reads, store } = this.#options;
    const { incarnation: here, name } = store.node;
    const own = this.#own;
    if (own !== undefined && JSON.stringify(own) !== JSON.stringify(this.#shown)) {
      const shown = { node: name, incarnation: here, services: own };
      await store.write([operation(statusPart, 'showServices', shown)]);
      this.#shown = own;
    }
    const living = (await store.peers.nodes()).filter(({ serving, state }) => state === 'live' && serving);
    const others = new Set(living.map(({ incarnation }) => incarnation).filter((one) => one !== here));
    const rows = await reads.nodes();
    this.#others = rows.filter(({ incarnation }) => others.has(incarnation)).map(({ services }) => services);
  }
}
