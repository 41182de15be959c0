/** Says whether no two items are equal, in linear time. `spend` is told how much each comparison costs. */
export function areUnique(items: readonly unknown[], spend?: (work: number, faults: number) => void): boolean {
  const seen = new Set<unknown>();
  const texts = new Set<string>();
  return items.every((item) => {
    const nested = typeof item === 'object' && item !== null;
    const [set, key] = nested ? [texts, JSON.stringify(item, inOrder)] : [seen, item];
    spend?.(typeof key === 'string' ? key.length : 1, 0);
    return set.size < set.add(key).size;
  });
}

// Objects are equal whatever the order of their members.
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
