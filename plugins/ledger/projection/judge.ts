import { given } from '../../../kernel/index.ts';
import compare from 'semver/functions/compare.js';
import type { Profile } from '../contract.ts';
import { debtOf, type Subject } from '../score/debt.ts';
import { evaluate } from '../score/evaluate.ts';
import { windowDays } from '../score/model.ts';
import { totalsOf, type Totals } from '../score/totals.ts';
import type { OrbState } from './orb.ts';
import { withMinutes, type Tallies } from './tallies.ts';
import { Weighing } from './weighing.ts';
import type { State } from './state.ts';

/** The inputs for judging Orbs. */
interface JudgeOptions extends Pick<State, 'orbs' | 'incidents'> {
  readonly tallies: Tallies;
  readonly profile: Profile;
  /** Days since the epoch. */
  readonly day: number;
}

/** The judgement of one Orb with the data it is based on. */
export type Judgement = Awaited<ReturnType<Judge['judge']>>;

/** Judges Orbs on one day; the sums of a parent version that several versions inherit are computed once. */
export class Judge {
  readonly #options: JudgeOptions;
  readonly #totals = new Map<string, Totals>();
  readonly #named: ReadonlyMap<string, readonly OrbState[]>;
  readonly #versions = new Map<string, readonly OrbState[]>();
  readonly #weighing: Weighing;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#weighing = new Weighing(options.incidents.values(), options.day);
    this.#named = Map.groupBy(options.orbs.values(), ({ name }) => name);
  }

  /** Judges an Orb that the log names. */
  async judge(orb: OrbState) {
    const { tallies, profile, day } = this.#options;
    const parent = await this.#parentOf(orb);
    const subject: Subject = given({ orb_id: orb.orb_id, parent });
    const incidents = this.#weighing.on(subject);
    const debt = await withMinutes(tallies, (minutes) =>
      debtOf(subject, incidents, day, (from, to) => minutes(orb.orb_id, from, to)),
    );
    const own = await this.#totalsOf(orb.orb_id);
    const inherited = parent === undefined ? {} : { parent: await this.#totalsOf(parent) };
    const evaluation = evaluate({ profile, day, own, debt, ...inherited });
    // `parent`: the version from which runs were inherited.
    return { evaluation, debt, own, signed: orb.signed, profile, ...given({ parent }) };
  }

  // The next lower version of the name that has a counted run in the window.
  async #parentOf({ name, version }: OrbState): Promise<string | undefined> {
    const lower = this.#versionsOf(name).filter((orb) => compare(orb.version, version) < 0);
    for (const { orb_id } of lower) if ((await this.#totalsOf(orb_id)).attempts > 0) return orb_id;
    return undefined;
  }

  // Highest version first.
  #versionsOf(name: string): readonly OrbState[] {
    const known = this.#versions.get(name);
    if (known !== undefined) return known;
    // semver ranks versions that differ only in build metadata as equal; comparing their text makes the order unique.
    const orbs = [...(this.#named.get(name) ?? [])].sort(
      (a, b) => compare(b.version, a.version) || (a.orb_id < b.orb_id ? 1 : -1),
    );
    this.#versions.set(name, orbs);
    return orbs;
  }

  async #totalsOf(orbId: string): Promise<Totals> {
    const known = this.#totals.get(orbId);
    if (known !== undefined) return known;
    const { tallies, day } = this.#options;
    const totals = totalsOf(await tallies.callerDays(orbId, day - windowDays + 1, day), day);
    this.#totals.set(orbId, totals);
    return totals;
  }
}
