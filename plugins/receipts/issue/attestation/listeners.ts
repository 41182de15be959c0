import { createListeners } from '../../../../kernel/index.ts';

/**
 * Makes what notifies listeners of growth: once for many changes, and never within the caller's own call; `failed` is called
 * with the error of a listener that throws.
 */
export function createAnnouncer(failed: (error: unknown) => void) {
  const listeners = createListeners(failed);
  let scheduled = false;
  const tell = (): void => {
    scheduled = false;
    listeners.tell();
  };
  return {
    grew(): void {
      if (scheduled) return;
      scheduled = true;
      setImmediate(tell);
    },
    listen: (listener: () => void) => listeners.add(listener),
  };
}
