import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.ts';
import { useEvents } from './events.ts';
import type { LiveState } from './live-event.ts';
import { useList, type Listing, type ListOptions } from './resource.ts';

/** A list that follows events. */
export interface LiveListOptions<T> extends ListOptions<T> {
  /** Exact types of the events that change it. */
  readonly types: readonly string[];
  /** What one and several of its items are called. */
  readonly names: readonly [one: string, several: string];
}

/** A list that follows events, and what its table's surroundings must carry. */
export interface LiveList<T> extends Listing<T> {
  readonly state: LiveState;
  /** Handlers for the element around the table: while the reader is in it, new rows wait. */
  readonly within: Readonly<Record<string, () => void>>;
}

// Limit how often the first page is read again: with a filter that matches few rows, it costs the server many reads.
const leastMs = 700;

/** Reads a list and keeps it up to date. New rows wait while the pointer or the focus is in the table. */
export function useLiveList<T>(options: LiveListOptions<T>): LiveList<T> {
  const { types, names } = options;
  const list = useList(options);
  const inside = useRef({ pointer: false, focus: false });
  const latest = useRef(list);
  latest.current = list;
  const pace = usePace(() => {
    const { pointer, focus } = inside.current;
    // Where there is no row, none moves.
    return latest.current.refresh((pointer || focus) && latest.current.items.length > 0);
  });
  const state = useEvents(types, pace, pace);
  const { held } = list;
  useEffect(() => {
    if (held > 0) announce(`${held} new ${held === 1 ? names[0] : names[1]}`);
  }, [held]);
  const set = (part: 'pointer' | 'focus', value: boolean) => () => {
    inside.current[part] = value;
  };
  const within = {
    onPointerEnter: set('pointer', true),
    onPointerLeave: set('pointer', false),
    onFocusIn: set('focus', true),
    onFocusOut: set('focus', false),
  };
  return { ...list, state, within };
}

// Runs work at once, then rests for `leastMs`, and runs it once more after what came in between.
function usePace(work: () => Promise<void>): () => void {
  const run = useRef(work);
  run.current = work;
  const pace = useRef<() => void>(undefined);
  const stopped = useRef(false);
  useEffect(() => () => void (stopped.current = true), []);
  if (pace.current === undefined) {
    let busy = false;
    let again = false;
    const step = async (): Promise<void> => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      await run.current();
      await new Promise((resolve) => setTimeout(resolve, leastMs));
      busy = false;
      if (again && !stopped.current) {
        again = false;
        void step();
      }
    };
    pace.current = () => void step();
  }
  return pace.current;
}
