/** One process that serves: what it writes down as its own. */
export interface NodeIdentity {
  /** ORB_NODE, else a name kept in the state dir; the same after a restart. */
  readonly name: string;
  /** 16 hex, random: another one after each start. */
  readonly incarnation: string;
}

/**
 * The other processes that have the store open. On a file there are none: nothing is told, `everywhere` resolves at
 * once, and each role is held from the start.
 */
export interface Peers {
  /**
   * Does work on the one node that holds a role: calls `begin` once this node holds it, at once if it does already, and
   * again while it fails. Works of one role begin one after the other. If `begin` answers a function, that one ends the
   * work: it is called while the clock of the machine is wrong, and `begin` when it is right again. A role passes on only
   * when the row of its holder is not live any more: then the fence refuses what that one still writes, so that no write
   * needs a guard of its own.
   */
  whenHeld(role: string, begin?: () => unknown): Held;
  /**
   * Calls `reload` when other nodes have changed something of a topic, with what they named, in the order of their
   * commits. The changes count as learned when it resolves; it is called again with the same ones when it rejects. With
   * `late`, that is called after a second and a half, and the changes count as learned: `reload` ends in the background.
   * The names only say where to look: read the rows. Call it before the hook `ready` ends.
   */
  follow(
    topic: string,
    reload: (refs: readonly string[]) => void | Promise<void>,
    late?: (refs: readonly string[]) => void,
  ): void;
  /**
   * Resolves when every node that serves has learned all that was committed before the call. One that falls silent is
   * waited for until another node adopts it, so that it writes nothing more: about twelve seconds.
   */
  everywhere(): Promise<void>;
  /** Reads the nodes that the store knows, in the order of their names. */
  nodes(): Promise<readonly NodeView[]>;
  /** Shows the other nodes the digest of what must be configured alike on all of them. */
  configured(digest: string): void;
  /**
   * Takes a node that never comes back from the list, and lets this one settle what it left. Answers the node as it
   * stands: one that still has its lease is `live`, and stays. Undefined: there is no such node.
   */
  dismiss(name: string): Promise<NodeView | undefined>;
  /**
   * Calls `settle` when another process has ended, on the node that adopts it: at once after a process that left, else
   * when its lease is over. Called again when it rejects, and on the next adopter when this node ends too.
   * Call it before the hook `ready` ends.
   */
  onAdopted(settle: (ended: EndedNode) => void | Promise<void>): void;
}

/** Work that one node does at a time. */
export interface Held {
  /**
   * Whether the role is this node's now. Once held it stays so until the process ends, but while the clock of its machine
   * is wrong: when another node has taken the role meanwhile, this process ends.
   */
  readonly now: boolean;
  /** Resolves when the work has begun, if the role was held already. */
  readonly begun: void | Promise<void>;
  /** Ends the work. */
  stop(): void | Promise<void>;
}

/** A process that has ended. */
export interface EndedNode extends NodeIdentity {
  /** It left of itself: all that it had begun is settled. */
  readonly clean: boolean;
}

/** One node as the store knows it. */
export interface NodeView extends NodeIdentity {
  readonly state: 'live' | 'left' | 'dead';
  /** False while it starts, when its lease is over, or it has not learned for seconds what the others changed. */
  readonly serving: boolean;
  readonly version: string;
  /** When it joined and when its lease ends. Milliseconds since the Unix epoch, on the clock of the store. */
  readonly joined_at: number;
  readonly lease_until: number | null;
  /** How many changes of others it has not learned yet. */
  readonly behind: number;
  /** Digest of what must be configured alike on all nodes; empty: not known. */
  readonly config: string;
}

const nothing = (): void => undefined;

function heldAlready(_: string, begin: () => unknown = nothing): Held {
  const work = begin();
  const begun = work instanceof Promise ? work.then(nothing) : undefined;
  return { now: true, begun, stop: () => (work instanceof Promise ? work.then(endWork) : endWork(work)) };
}

/** Ends work by what its `begin` has answered. */
export function endWork(stop: unknown): void | Promise<void> {
  return typeof stop === 'function' ? (stop as () => void | Promise<void>)() : undefined;
}

/** Makes the peers of a process that has its store for itself. `joinedAt`: milliseconds since the Unix epoch. */
export function nobodyElse(node: NodeIdentity, version: string, joinedAt: number): Peers {
  const own: NodeView = {
    ...{ name: node.name, incarnation: node.incarnation, version, joined_at: joinedAt },
    ...{ state: 'live', serving: true, lease_until: null, behind: 0, config: '' },
  };
  return Object.freeze({
    whenHeld: heldAlready,
    follow: nothing,
    onAdopted: nothing,
    everywhere: () => Promise.resolve(),
    nodes: () => Promise.resolve([own]),
    configured: nothing,
    dismiss: (name: string) => Promise.resolve(name === own.name ? own : undefined),
  });
}
