import { pack, WentBack, type Row } from '../../../kernel/engine.ts';
import type { Question, ToMembership } from '../peers/message.ts';
import type { ServerMark } from '../memory/server-mark.ts';
import type { Beside } from './lease.ts';
import {
  adoption,
  changesAfter,
  databaseTime,
  dismissal,
  feedHead,
  forgetChanges,
  forgetEnded,
  lateNodes,
  leftByOthers,
  livingNodes,
  nodeViewOf,
  nodeViews,
  showApplied,
  showConfig,
} from './members.ts';
import { Roles, type RoleOptions } from './roles.ts';
import type { Session } from '../connection/session.ts';
import { Watched, type LeaseTimes } from './watched.ts';

/** What a membership needs. */
export interface MembershipOptions extends RoleOptions {
  readonly times: LeaseTimes;
  /** Number of the last change at the time when the process joined: what it reads from then on holds all up to it. */
  readonly joinedAt: number;
  /** Where it is noted which changes are to be learned: a server that lacks them is another one. */
  readonly mark?: ServerMark | undefined;
  /** Called when something waits for the next `tick`. */
  wake(): void;
}

interface Asked extends Question {
  readonly id: number;
  /** For `everywhere`: the number of the feed that all must have learned. */
  target?: number;
}

const behindMs = 2000;

// Changes that all live nodes have learned are deleted about once a minute.
const forgetEach = 32;

/** What one process knows of the others, and they of it: the feed of changes, the barrier, roles, and ended processes. */
export class Membership implements Beside {
  readonly #options: MembershipOptions;
  readonly #watched: Watched;
  #serving = false;
  /** Numbers of the feed: handed to the listeners, learned by them, and written into the row of this process. */
  #handed: number;
  #learned: number;
  #applied: number;
  #lateSince: number | undefined;
  /** Whether the row of this process says that it serves, and whether it has read the feed since. */
  #shown = false;
  #followed = false;
  #renewals = 0;
  readonly #roles: Roles;
  readonly #told = new Set<string>();
  #settled: string[] = [];
  #asked: Asked[] = [];
  /** The digest of the configuration that the row of this process is to show. */
  #config: string | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#watched = new Watched(options.times);
    this.#roles = new Roles(options);
    this.#handed = this.#learned = this.#applied = options.joinedAt;
  }

  /** Takes a message of the serving thread. */
  hear(message: ToMembership): void {
    if (message.kind === 'begin') this.#serving = true;
    else if (message.kind === 'learned') this.#learned = message.upTo;
    else if (message.kind === 'want') this.#roles.want(message.role);
    else if (message.kind === 'settled') this.#settled.push(message.incarnation);
    else if (message.kind === 'quiet') this.#roles.quiet(message.round);
    else if (message.kind === 'configured') this.#config = message.digest;
    else this.#asked.push({ ...message });
    this.#options.wake();
  }

  /**
   * Does what is due; `renewed`: the lease was just renewed, so that this process is known to live. Rejects when the
   * session is lost, and with WentBack.
   */
  async tick(session: Session, renewed: boolean): Promise<void> {
    await this.#describe(session);
    if (this.#serving) await this.#follow(session);
    if (await this.#roles.tick(session)) {
      if (renewed && this.#serving) await this.#adopt(session);
      await this.#forget(session);
    }
    await this.#answer(session);
  }

  async #describe(session: Session): Promise<void> {
    const digest = this.#config;
    if (digest === undefined) return;
    await session.flush([showConfig(this.#options.asker, digest)]);
    if (this.#config === digest) this.#config = undefined;
  }

  async #follow(session: Session): Promise<void> {
    // Until the row said so, no node waited for this process to learn a change.
    const shown = this.#shown;
    const [head, changes] = await session.flush([feedHead, changesAfter(this.#handed)]);
    const seq = Number(head?.rows[0]?.['seq']);
    const rows = changes?.rows ?? [];
    const first = rows[0];
    if (!(seq >= this.#handed) || (first !== undefined && Number(first['seq']) !== this.#handed + 1))
      throw new WentBack(`the feed is at ${seq}, this process at ${this.#handed}: the database went back`);
    if (rows.length > 0) this.#hand(rows);
    this.#followed = shown;
    await this.#apply(session);
  }

  #hand(rows: readonly Row[]): void {
    const upTo = Number(rows.at(-1)?.['seq']);
    this.#options.mark?.tell(upTo);
    const { incarnation: own } = this.#options.asker;
    const changes = rows.flatMap(({ incarnation, ref, topic }) =>
      incarnation === own ? [] : [{ topic: String(topic), ref: String(ref) }],
    );
    // This process knows its own changes, but must learn earlier ones first.
    if (changes.length === 0 && this.#learned === this.#handed) this.#learned = upTo;
    else this.#options.say({ kind: 'changes', upTo, changes });
    this.#handed = upTo;
  }

  async #apply(session: Session): Promise<void> {
    this.#lateSince = this.#learned === this.#handed ? undefined : (this.#lateSince ?? performance.now());
    const learned = this.#learned;
    if (learned === this.#applied && this.#shown) return;
    await session.flush([showApplied(this.#options.asker, learned)]);
    this.#shown = true;
    this.#applied = learned;
  }

  async #adopt(session: Session): Promise<void> {
    const { asker, say } = this.#options;
    const [time, living] = await session.flush([databaseTime, livingNodes]);
    const others = (living?.rows ?? []).filter((row) => row['incarnation'] !== asker.incarnation);
    for (const row of this.#watched.ended(Number(time?.rows[0]?.['now']), others))
      await session.flush([adoption(String(row['incarnation']), asker)]);
    const mine = (await session.flush(leftByOthers(asker))).at(-1)?.rows ?? [];
    for (const { clean, incarnation, node } of mine) {
      const ended = { name: String(node), incarnation: String(incarnation), clean: Number(clean) === 1 };
      if (this.#told.has(ended.incarnation)) continue;
      this.#told.add(ended.incarnation);
      say({ kind: 'adopted', ended });
    }
    if (this.#renewals++ % forgetEach === 0) await session.flush([forgetChanges]);
  }

  async #forget(session: Session): Promise<void> {
    const settled = this.#settled;
    if (settled.length === 0) return;
    await session.flush(settled.map((incarnation) => forgetEnded(incarnation, this.#options.asker)));
    this.#settled = this.#settled.slice(settled.length);
  }

  async #answer(session: Session): Promise<void> {
    for (const asked of [...this.#asked]) {
      const rows = await this.#rowsFor(session, asked);
      if (rows === undefined) continue;
      this.#options.say({ kind: 'answer', id: asked.id, nodes: rows.map(nodeViewOf) });
      this.#asked = this.#asked.filter((one) => one !== asked);
    }
  }

  // Undefined: it cannot be answered yet.
  async #rowsFor(session: Session, asked: Asked): Promise<readonly Row[] | undefined> {
    const { what, node = '' } = asked;
    if (what === 'nodes') return (await session.flush([nodeViews]))[0]?.rows ?? [];
    if (what === 'dismiss') return (await session.flush(dismissal(node, this.#options.asker)))[1]?.rows ?? [];
    if (what === 'begun') return this.#followed && this.#learned === this.#handed ? [] : undefined;
    return (await this.#isEverywhere(session, asked)) ? [] : undefined;
  }

  async #isEverywhere(session: Session, asked: Asked): Promise<boolean> {
    if (asked.target === undefined) {
      const [head] = await session.flush([feedHead]);
      asked.target = Number(head?.rows[0]?.['seq']);
    }
    // A process that does not serve yet adopts no node and answers no barrier.
    const [late] = await session.flush([lateNodes(asked.target, this.#serving)]);
    return Number(late?.rows[0]?.['late']) === 0;
  }

  /** Whether it has not learned for seconds what others changed: then the process serves nothing and renews no lease. */
  get isBehind(): boolean {
    return this.#lateSince !== undefined && performance.now() - this.#lateSince > behindMs;
  }

  /** Answers all that waits with an error: the process ends. */
  refuse(error: unknown): void {
    for (const { id } of this.#asked.splice(0))
      this.#options.say({ kind: 'answer', id, nodes: [], failure: pack(error) });
  }

  /** Whether somebody waits for an answer. */
  get isAsked(): boolean {
    return this.#asked.length > 0;
  }
}
