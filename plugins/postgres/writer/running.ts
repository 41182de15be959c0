import {
  stepsOf,
  takeGuard,
  type NamedWriting,
  type Operations,
  type Step,
  type WriteContext,
  type Writing,
} from '../../../kernel/engine.ts';
import { clock, tellText } from '../cluster/members.ts';
import type { NodeHead } from '../cluster/node.ts';
import type { Outgoing } from './outgoing.ts';

/** A store module with what the committer keeps of it. */
export interface Taker {
  readonly writing: Writing<Operations>;
  readonly context: WriteContext;
  touched: boolean;
}

type NodeName = Pick<NodeHead, 'node' | 'incarnation'>;

/** An item for the work before the commit, with the operation that deferred it. */
interface Deferred {
  readonly taker: Taker;
  readonly item: object;
  readonly code: number | undefined;
}

/** The operations of the modules, and what they deferred in the transaction that is built. */
export class Running {
  readonly takers: readonly Taker[];
  readonly deferred: Deferred[] = [];
  readonly #steps: readonly Step<Taker>[];
  readonly #tell: WriteContext['tell'];
  readonly #time: WriteContext['time'];
  /** The operation that runs. */
  #code: number | undefined;

  constructor(outgoing: Outgoing, modules: readonly NamedWriting[], node: NodeName) {
    const told = outgoing.prepare(tellText);
    this.#tell = (topic, ref) => told.queue(topic, ref, node.node, node.incarnation);
    const time = outgoing.prepare(`SELECT ${clock} AS now`);
    this.#time = async () => Number((await time.get())?.['now']);
    this.takers = modules.map((module) => this.#taker(outgoing, module));
    this.#steps = stepsOf(this.takers);
  }

  /** Forgets what the last transaction deferred. */
  begin(): void {
    this.deferred.length = 0;
    for (const taker of this.takers) taker.touched = false;
  }

  /** Runs an operation. */
  operate(code: number | undefined, args: unknown): unknown {
    const step = this.#steps[code ?? -1];
    if (step === undefined) throw new Error(`there is no operation ${code}`);
    step.taker.touched = true;
    this.#code = code;
    return step.run(args as never, step.taker.context);
  }

  /** Does the modules' work before the commit. */
  async beforeCommit(): Promise<void> {
    for (const taker of this.takers) {
      const items = this.deferred.filter((one) => one.taker === taker).map(({ item }) => item);
      if (items.length > 0) await taker.writing.beforeCommit?.(items);
    }
  }

  #taker(outgoing: Outgoing, { name, writing }: NamedWriting): Taker {
    const guard = outgoing.prepare(takeGuard);
    const taker: Taker = {
      writing,
      context: {
        defer: (item) => void this.deferred.push({ taker, item, code: this.#code }),
        claim: (claim, one) => outgoing.claim(claim, one),
        guard: (about) => guard.queue(`${name} ${about}`),
        tell: this.#tell,
        time: this.#time,
      },
      touched: false,
    };
    return taker;
  }
}
