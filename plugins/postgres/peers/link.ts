import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { after, nobodyElse, unavailable, unpack } from '../../../kernel/engine.ts';
import type { AttendOptions, Awaitable, EndedNode, NodeView, Peers, Role } from '../../../kernel/engine.ts';
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

type Learn = (refs: readonly string[]) => Awaitable<void>;
type Settle = (ended: EndedNode) => Awaitable<void>;

const retryMs = 250;

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
      onChange: (topic: string, learn: Learn) => link.listen(topic, learn),
      onAdopted: (settle: Settle) => void link.settlers.push(settle),
      everywhere: async () => void (await link.ask({ what: 'everywhere' })),
      nodes: () => link.ask({ what: 'nodes' }),
      configured: (digest: string) => link.say({ kind: 'configured', digest }),
      dismiss: async (node: string) => (await link.ask({ what: 'dismiss', node }))[0],
      role: (name: string) => link.role(name),
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
  readonly #learners = new Map<string, Learn[]>();
  readonly #roles = new Map<string, HeldRole>();
  readonly #asked = new Map<number, PromiseWithResolvers<readonly NodeView[]>>();
  #asks = 0;
  /** Changes are learned one batch after the other, and ended processes settled beside them. */
  #learning: Promise<void> = Promise.resolve();
  #settling: Promise<void> = Promise.resolve();
  #closed = false;
  #isMute = false;

  constructor(port: MessagePort, log: PeerLog, quiet: AttendOptions['quiet']) {
    this.#port = port;
    this.#log = log;
    this.#quiet = quiet;
  }

  listen(topic: string, learn: Learn): void {
    this.#learners.set(topic, [...(this.#learners.get(topic) ?? []), learn]);
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

  role(name: string): Role {
    const known = this.#roles.get(name);
    if (known !== undefined) return known;
    const role = new HeldRole();
    role.isMute = this.#isMute;
    this.#roles.set(name, role);
    this.say({ kind: 'want', role: name });
    return role;
  }

  hear(message: FromMembership): void {
    if (message.kind === 'changes') {
      const { changes, upTo } = message;
      this.#learning = this.#learning
        .then(() => this.#untilDone(() => this.#learn(changes), 'this node could not apply a change by another node'))
        .then(() => this.say({ kind: 'learned', upTo }));
    } else if (message.kind === 'adopted') {
      const { ended } = message;
      this.#settling = this.#settling
        .then(() =>
          this.#untilDone(() => this.#settle(ended), 'this node could not take over the work of an ended node'),
        )
        .then(() => this.say({ kind: 'settled', incarnation: ended.incarnation }));
    } else if (message.kind === 'role') this.#roles.get(message.role)?.begin(message.role, this.#log);
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
    for (const role of this.#roles.values()) role.isMute = mute;
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
      for (const learn of this.#learners.get(topic) ?? []) await learn(refs);
    }
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

class HeldRole implements Role {
  /** The clock of the machine is wrong, so that the role is given up, or will be. */
  isMute = false;
  #begun = false;
  readonly #begins: (() => void)[] = [];

  get held(): boolean {
    return this.#begun && !this.isMute;
  }

  onHeld(begin: () => void): void {
    if (this.#begun) begin();
    else this.#begins.push(begin);
  }

  begin(role: string, log: PeerLog): void {
    if (this.#begun) return;
    this.#begun = true;
    log.info({ role }, `this node has the role ${role} now`);
    for (const begin of this.#begins.splice(0)) {
      try {
        begin();
      } catch (err) {
        log.error({ err, role }, `this node could not start the work of the role ${role}`);
      }
    }
  }
}
