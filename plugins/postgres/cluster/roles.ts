import { OwnerLost } from '../../../kernel/engine.ts';
import type { FromMembership } from '../peers/message.ts';
import { isNewer } from '../tables/identity.ts';
import { offerRoles, servingVersions, takeBackRole, takeRole } from './members.ts';
import type { Session } from '../connection/session.ts';
import type { Asker } from './watched.ts';

/** What keeping the roles of a process needs. */
export interface RoleOptions {
  readonly asker: Asker;
  /** Version of the program. */
  readonly version: string;
  say(message: FromMembership): void;
  /** Whether the clock of the machine is so wrong that the process writes nothing but its lease. */
  isMute(): boolean;
}

/**
 * The roles that a process wants and holds. While its clock is wrong it offers them to the others, once it has nothing
 * under way any more; when it is right again the process takes back what no other has taken.
 */
export class Roles {
  readonly #options: RoleOptions;
  readonly #wanted = new Set<string>();
  readonly #held = new Set<string>();
  #mute = false;
  /** Counts how often the clock was wrong: what is said of an earlier time says nothing of this one. */
  #round = 0;
  #isQuiet = false;
  #offered = false;

  constructor(options: RoleOptions) {
    this.#options = options;
  }

  want(role: string): void {
    this.#wanted.add(role);
  }

  /** Notes that the process writes nothing since its clock is wrong. */
  quiet(round: number): void {
    if (round === this.#round) this.#isQuiet = true;
  }

  /**
   * Gives up or takes what is to be given up or taken; answers whether the process may do more than renew its lease.
   * Rejects with OwnerLost when another process has taken a role meanwhile: the work by this one is out of date.
   */
  async tick(session: Session): Promise<boolean> {
    const mute = this.#options.isMute();
    if (mute !== this.#mute) await this.#turn(session, mute);
    if (!mute) {
      await this.#take(session);
      return true;
    }
    if (this.#isQuiet && !this.#offered) {
      await session.flush([offerRoles(this.#options.asker)]);
      this.#offered = true;
    }
    return false;
  }

  async #turn(session: Session, mute: boolean): Promise<void> {
    if (!mute && this.#offered) await this.#takeBack(session);
    if (mute) this.#round++;
    this.#isQuiet = this.#offered = false;
    this.#mute = mute;
    this.#options.say({ kind: 'mute', mute, round: this.#round });
  }

  async #takeBack(session: Session): Promise<void> {
    const roles = [...this.#held].sort();
    if (roles.length === 0) return;
    const answers = await session.flush(roles.map((role) => takeBackRole(role, this.#options.asker)));
    const gone = roles.filter((_, index) => answers[index]?.rows.length !== 1);
    if (gone.length > 0)
      throw new OwnerLost(
        `while the clock of this machine was wrong, another node took over the roles: ${gone.join(', ')}`,
      );
  }

  async #take(session: Session): Promise<void> {
    const missing = [...this.#wanted].filter((role) => !this.#held.has(role)).sort();
    if (missing.length === 0 || (await this.#isOutdated(session))) return;
    const answers = await session.flush(missing.map((role) => takeRole(role, this.#options.asker)));
    missing.forEach((role, index) => {
      if (answers[index]?.rows.length !== 1) return;
      this.#held.add(role);
      this.#options.say({ kind: 'role', role });
    });
  }

  // While a newer program serves, that one takes the roles: it may do their work otherwise.
  async #isOutdated(session: Session): Promise<boolean> {
    const [serving] = await session.flush([servingVersions]);
    return (serving?.rows ?? []).some(({ version }) => isNewer(String(version), this.#options.version));
  }
}
