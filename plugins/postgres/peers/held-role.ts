import { setTimeout as pause } from 'node:timers/promises';
import { createSerial, endWork, type AttendOptions, type Held } from '../../../kernel/engine.ts';

interface Work {
  readonly begin: () => unknown;
  state: 'waits' | 'begun' | 'over';
  /** Resolves when the tries to begin end. */
  going?: Promise<void>;
  /** What `begin` has answered. */
  stop?: unknown;
}

const retryMs = 500;

/** A role that this process wants or holds, and the works that it does meanwhile, in the order in which they were added. */
export class HeldRole {
  readonly #name: string;
  readonly #log: AttendOptions['log'];
  readonly #works: Work[] = [];
  readonly #serial = createSerial();
  #isTaken = false;
  /** The clock of the machine is wrong, so that the role is given up, or will be. */
  #isMute: boolean;

  constructor(name: string, log: AttendOptions['log'], isMute: boolean) {
    this.#name = name;
    this.#log = log;
    this.#isMute = isMute;
  }

  get now(): boolean {
    return this.#isTaken && !this.#isMute;
  }

  /** Adds a work; it begins when the role is held. */
  add(begin: () => unknown): Held {
    const work: Work = { begin, state: 'waits' };
    this.#works.push(work);
    const isHeld = (): boolean => this.now;
    return {
      get now() {
        return isHeld();
      },
      begun: this.now ? this.#serial(() => this.#begin(work)) : undefined,
      // It waits for no other work, which may not begin while the store is away.
      stop: async () => {
        work.state = 'over';
        await work.going;
        await this.#end(work);
      },
    };
  }

  /** The role is this process's now. */
  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#log.info({ role: this.#name }, `this node has the role ${this.#name} now`);
    void this.#beginAll();
  }

  /** The clock is wrong: what can be ended ends, and begins again when the clock is right. */
  mute(isMute: boolean): void {
    this.#isMute = isMute;
    if (!this.#isTaken) return;
    void (isMute ? this.#serial(() => this.#endAll()) : this.#beginAll());
  }

  async #beginAll(): Promise<void> {
    for (const work of this.#works) await this.#serial(() => this.#begin(work));
  }

  #begin(work: Work): Promise<void> {
    work.going = this.#tryToBegin(work);
    return work.going;
  }

  async #tryToBegin(work: Work): Promise<void> {
    for (; work.state === 'waits' && this.now; await pause(retryMs, undefined, { ref: false })) {
      try {
        work.stop = await work.begin();
        if (work.state === 'waits') work.state = 'begun';
        return;
      } catch (err) {
        const role = this.#name;
        this.#log.error({ err, role }, `this node could not start the work of the role ${role}; it tries again`);
      }
    }
  }

  async #endAll(): Promise<void> {
    for (const work of this.#works) {
      if (typeof work.stop !== 'function') continue;
      await this.#end(work);
      if (work.state === 'begun') work.state = 'waits';
    }
  }

  async #end(work: Work): Promise<void> {
    const { stop } = work;
    work.stop = undefined;
    await endWork(stop);
  }
}
