/** Callbacks of an event; the failure of one does not affect the others. */
export interface Listeners {
  /** Adds a callback; the function that is returned removes it. */
  add(callback: () => void): () => void;
  tell(): void;
}

/** Makes an empty set of callbacks; `failed` hears of what one threw. */
export function createListeners(failed: (error: unknown) => void): Listeners {
  const all = new Set<() => void>();
  return {
    add(callback) {
      const own = (): void => callback();
      all.add(own);
      return () => void all.delete(own);
    },
    tell() {
      for (const callback of all)
        try {
          callback();
        } catch (error) {
          failed(error);
        }
    },
  };
}
