/** Notifies listeners of growth: once for many changes, and never within the caller's own call. */
export interface Announcer {
  grew(): void;
  listen(listener: () => void): () => void;
}

/** Makes an Announcer; `failed` is called with the error of a listener that throws. */
export function createAnnouncer(failed: (error: unknown) => void): Announcer {
  const listeners = new Set<{ readonly tell: () => void }>();
  let scheduled = false;
  const tell = (): void => {
    scheduled = false;
    for (const listener of listeners)
      try {
        listener.tell();
      } catch (error) {
        failed(error);
      }
  };
  return {
    grew() {
      if (scheduled || listeners.size === 0) return;
      scheduled = true;
      setImmediate(tell);
    },
    listen(listener) {
      // A new object each time: the same function may be registered twice.
      const added = { tell: listener };
      listeners.add(added);
      return () => void listeners.delete(added);
    },
  };
}
