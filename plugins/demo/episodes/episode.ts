import { dayMs, type Stage } from '../stage.ts';

/** Something that happens once. */
export interface Episode {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly work: () => Promise<void>;
}

const minuteMs = 60_000;

/** Makes an episode of the first day, so many minutes after the begin. */
export function atBegin({ begin }: Stage, minutes: number, work: Episode['work']): Episode {
  return { at: begin + minutes * minuteMs, work };
}

/** Makes an episode so many days before the last one, at a time of the day in UTC: `14:05`. */
export function daysBefore({ end }: Stage, days: number, clock: string, work: Episode['work']): Episode {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return { at: (Math.floor(end / dayMs) - days) * dayMs + (hours * 60 + minutes) * minuteMs, work };
}

/** Makes an episode so many minutes before the end. */
export function minutesBefore({ end }: Stage, minutes: number, work: Episode['work']): Episode {
  return { at: end - minutes * minuteMs, work };
}
