import { useEffect, useRef } from 'preact/hooks';
import { useEvents } from './events.ts';

const restMs = 3000;

/** Reads again after events of these types, but not for each of many: at most every three seconds. */
export function useFollowing(types: readonly string[], reload: () => void): void {
  const due = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const soon = (): void => {
    due.current ??= setTimeout(() => {
      due.current = undefined;
      reload();
    }, restMs);
  };
  useEvents(types, soon, reload);
  useEffect(() => () => clearTimeout(due.current), []);
}
