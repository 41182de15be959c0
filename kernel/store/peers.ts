/** One process that serves: what it writes down as its own. */
export interface NodeIdentity {
  /** ORB_NODE, else a name kept in the state dir; the same after a restart. */
  readonly name: string;
  /** 16 hex, random: another one after each start. */
  readonly incarnation: string;
}

/** The other processes that have the store open. A file has none: each role is held from the start. */
export interface Peers {
  /**
   * Does work on the one node that holds a role: calls `begin` once this node holds it, and again while it fails; works
   * of one role begin one after the other. A function that it answers ends the work while the clock of the machine is
   * wrong. A role passes on when its holder is not live any more; the fence refuses what that one still writes.
   */
  whenHeld(role: string, begin?: () => unknown): Held;
  /**
   * Calls `reload` when others have changed something of a topic, with what they named, in the order of commits; again
   * when it rejects. The changes count as learned when it resolves, or, with `late`, after a second and a half. The
   * names only say where to look: read the rows. Call it before the hook `ready` ends.
   */
  follow(
    topic: string,
    reload: (refs: readonly string[]) => void | Promise<void>,
    late?: (refs: readonly string[]) => void,
  ): void;
  /** Resolves when every serving node has learned all earlier commits; a silent one delays it about twelve seconds. */
  everywhere(): Promise<void>;
  /** Reads the nodes that the store knows, in the order of their names. */
  nodes(): Promise<readonly NodeView[]>;
  /** Shows the other nodes the digest of what must be configured alike on all of them. */
  configured(digest: string): void;
  /** Removes a dead node from the list, and settles what it left; a `live` one stays. Undefined: there is none. */
  dismiss(name: string): Promise<NodeView | undefined>;
  /**
   * Calls `settle` on the node that adopts an ended process: at once after one that left, else when its lease is over;
   * again when it rejects. Call it before the hook `ready` ends.
   */
  onAdopted(settle: (ended: EndedNode) => void | Promise<void>): void;
}

/** Work that one node does at a time. */
export interface Held {
  /** Whether the role is this node's now. Once held it stays so, except while the clock of its machine is wrong. */
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
  /** Work that one node does at a time, and that this one has; absent where there is one node. */
  readonly roles?: readonly string[];
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
