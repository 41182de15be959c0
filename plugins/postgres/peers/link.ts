import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { after, nobodyElse, unavailable, unpack, within } from '../../../kernel/engine.ts';
import type { AttendOptions, Awaitable, EndedNode, Held, NodeView, Peers } from '../../../kernel/engine.ts';
import { HeldRole } from './held-role.ts';
import type { Change, FromMembership, Question, ToMembership } from './message.ts';

/** The peers of a process, with what only the kernel may call. */
export interface PeerLink {
  readonly peers: Peers;
  /** The end of the writer thread, which keeps the membership; absent: no other process has the store open. */
  readonly port?: MessagePort;
  /** Lets changes come: all listeners are there. Resolves when the other nodes see that this one serves. */
  begin(): Promise<void>;
  /** Stops answering, and rejects waiting calls. */
  close(): void;
}

type Reload = (refs: readonly string[]) => Awaitable<void>;
type Late = (refs: readonly string[]) => void;
type Settle = (ended: EndedNode) => Awaitable<void>;

const retryMs = 250;
// A node that learns for longer than two seconds falls silent.
const learnMs = 1500;
const unapplied = 'this node could not apply a change by another node';

type PeerLog = AttendOptions['log'];

/** Links the serving thread with the membership of its process. */
export function linkPeers({ shared, node, version, at, log, quiet }: AttendOptions): PeerLink {
  const nothing = (): void => undefined;
  if (!shared) return { peers: nobodyElse(node, version, at), begin: () => Promise.resolve(), close: nothing };
  const { port1, port2 } = new MessageChannel();
  const link = new Link(port1, log, quiet);
  port1.on('message', (message: FromMembership) => link.hear(message));
  port1.unref();
  return {
    peers: Object.freeze({
      whenHeld: (role: string, begin?: () => unknown) => link.whenHeld(role, begin),
      follow: (topic: string, reload: Reload, late?: Late) => link.follow(topic, reload, late),
      onAdopted: (settle: Settle) => void link.settlers.push(settle),
      everywhere: async () => void (await link.ask({ what: 'everywhere' })),
      nodes: () => link.ask({ what: 'nodes' }),
      configured: (digest: string) => link.say({ kind: 'configured', digest }),
      dismiss: async (node: string) => (await link.ask({ what: 'dismiss', node }))[0],
    }),
    port: port2,
    begin: async () => {
      link.say({ kind: 'begin' });
      await link.ask({ what: 'begun' });
    },
    close: () => link.close(),
  };
}

class Link {
  readonly settlers: Settle[] = [];
  readonly #port: MessagePort;
  readonly #log: PeerLog;
  readonly #quiet: AttendOptions['quiet'];
  readonly #followers = new Map<string, (readonly [Reload, Late | undefined])[]>();
  readonly #roles = new Map<string, HeldRole>();
  readonly #asked = new Map<number, PromiseWithResolvers<readonly NodeView[]>>();
  #asks = 0;
  /** Changes are learned one batch after the other, and ended processes are settled meanwhile. */
  #learning: Promise<void> = Promise.resolve();
  #settling: Promise<void> = Promise.resolve();
  #closed = false;
  #isMute = false;

  constructor(port: MessagePort, log: PeerLog, quiet: AttendOptions['quiet']) {
    this.#port = port;
    this.#log = log;
    this.#quiet = quiet;
  }

  follow(topic: string, reload: Reload, late?: Late): void {
    this.#followers.set(topic, [...(this.#followers.get(topic) ?? []), [reload, late]]);
  }

  say(message: ToMembership): void {
    this.#port.postMessage(message);
  }

  ask(question: Question): Promise<readonly NodeView[]> {
    if (this.#closed) return Promise.reject(unavailable());
    const answer = Promise.withResolvers<readonly NodeView[]>();
    const id = this.#asks++;
    this.#asked.set(id, answer);
    this.say({ kind: 'ask', id, ...question });
    // While somebody waits the process must not end.
    this.#port.ref();
    return answer.promise;
  }

  whenHeld(name: string, begin: () => unknown = () => undefined): Held {
    let role = this.#roles.get(name);
    if (role === undefined) {
      role = new HeldRole(name, this.#log, this.#isMute);
      this.#roles.set(name, role);
      this.say({ kind: 'want', role: name });
    }
    return role.add(begin);
  }

  hear(message: FromMembership): void {
    if (message.kind === 'changes') {
      const { changes, upTo } = message;
      this.#learning = this.#learning
        .then(() => this.#untilDone(() => this.#learn(changes), unapplied))
        .then(() => this.say({ kind: 'learned', upTo }));
    } else if (message.kind === 'adopted') {
      const { ended } = message;
      this.#settling = this.#settling
        .then(() =>
          this.#untilDone(() => this.#settle(ended), 'this node could not take over the work of an ended node'),
        )
        .then(() => this.say({ kind: 'settled', incarnation: ended.incarnation }));
    } else if (message.kind === 'role') this.#roles.get(message.role)?.take();
    else if (message.kind === 'mute') this.#mute(message);
    else this.#answer(message);
  }

  close(): void {
    this.#closed = true;
    for (const { reject } of this.#asked.values()) reject(unavailable());
    this.#asked.clear();
    this.#port.close();
  }

  // A role is given up when nothing is under way that was written by its right.
  #mute({ mute, round }: FromMembership & { readonly kind: 'mute' }): void {
    this.#isMute = mute;
    for (const role of this.#roles.values()) role.mute(mute);
    void this.#quiet(mute).then(() => mute && !this.#closed && this.say({ kind: 'quiet', round }));
  }

  #answer({ failure, id, nodes }: FromMembership & { readonly kind: 'answer' }): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#port.unref();
    if (failure === undefined) asked?.resolve(nodes);
    else asked?.reject(unpack(failure));
  }

  async #learn(changes: readonly Change[]): Promise<void> {
    for (const [topic, all] of Map.groupBy(changes, (change) => change.topic)) {
      const refs = [...new Set(all.map(({ ref }) => ref))];
      for (const [reload, late] of this.#followers.get(topic) ?? [])
        if (late === undefined) await reload(refs);
        else
          await this.#learnSoon(
            () => reload(refs),
            () => late(refs),
          );
    }
  }

  // A reload that fails after its time is tried again: the change is not announced a second time.
  async #learnSoon(reload: () => Awaitable<void>, late: () => void): Promise<void> {
    const going = Promise.resolve(reload());
    await within(learnMs, going, () => {
      going.catch(() => this.#untilDone(async () => reload(), unapplied));
      late();
    });
  }

  async #settle(ended: EndedNode): Promise<void> {
    if (!ended.clean)
      this.#log.warn({ ended: ended.name }, `node ${ended.name} has ended; this node takes over its work`);
    for (const settle of this.settlers) await settle(ended);
  }

  // Repeat a failed step: no later step may run before it.
  async #untilDone(work: () => Promise<void>, failed: string): Promise<void> {
    while (!this.#closed) {
      try {
        return await work();
      } catch (err) {
        this.#log.error({ err }, `${failed}; it tries again`);
        await new Promise<void>((resolve) => void after(retryMs, resolve, () => undefined));
      }
    }
  }
}
