import { dayText } from '../score/day.ts';
import type { Subject } from '../score/debt.ts';
import { incidentDecay } from '../score/decay.ts';
import type { Incident } from '../fact/incident.ts';

interface Placed {
  readonly at: number;
  readonly incident: Incident;
}

/**
 * The incidents that may weigh on Orbs on a day: an installation that is years old has many thousands that are over, and
 * each Orb is judged by few of the others.
 */
export class Weighing {
  readonly #byOrb = new Map<string, Placed[]>();
  readonly #ofProviders: Placed[] = [];

  constructor(incidents: Iterable<Incident>, day: number) {
    const oldest = dayText(day - incidentDecay.length - 1);
    let at = 0;
    for (const incident of incidents) {
      const { ends_at, retracted, state } = incident;
      // By text, a day early: to parse the times of all that ever were takes a hundred times as long.
      if (retracted || (state === 'resolved' && ends_at !== undefined && ends_at < oldest)) continue;
      const placed = { at: at++, incident };
      const orbs = new Set(incident.scope.flatMap(({ kind, id }) => (kind === 'orb' ? [id] : [])));
      for (const id of orbs) this.#ofOrb(id).push(placed);
      if (incident.scope.some(({ kind }) => kind === 'provider')) this.#ofProviders.push(placed);
    }
  }

  /** Lists those that may weigh on an Orb, in their order. */
  on({ orb_id, parent }: Subject): readonly Incident[] {
    const named = [orb_id, ...(parent === undefined ? [] : [parent])].flatMap((id) => this.#byOrb.get(id) ?? []);
    const all = new Set([...this.#ofProviders, ...named]);
    return [...all].sort((a, b) => a.at - b.at).map(({ incident }) => incident);
  }

  #ofOrb(id: string): Placed[] {
    const known = this.#byOrb.get(id) ?? [];
    this.#byOrb.set(id, known);
    return known;
  }
}
