/** Tells listeners that something has grown: once for many, and never on the way of whoever made it grow. */
export interface Announcer {
  grew(): void;
  listen(listener: () => void): () => void;
}

/** Makes an Announcer; `failed` hears of a listener that throws. */
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
      // A value of its own: the same function may listen twice.
      const added = { tell: listener };
      listeners.add(added);
      return () => void listeners.delete(added);
    },
  };
}
