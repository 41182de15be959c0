/** Callbacks of an event; the failure of one does not affect the others. */
export interface Listeners<T = void> {
  /** Adds a callback; the function that is returned removes it. */
  add(callback: (value: T) => void): () => void;
  tell(value: T): void;
}

/** Makes an empty set of callbacks; `failed` hears of what one threw. */
export function createListeners<T = void>(failed: (error: unknown) => void): Listeners<T> {
  const all = new Set<(value: T) => void>();
  return {
    add(callback) {
      const own = (value: T): void => callback(value);
      all.add(own);
      return () => void all.delete(own);
    },
    tell(value) {
      for (const callback of all)
        try {
          callback(value);
        } catch (error) {
          failed(error);
        }
    },
  };
}
