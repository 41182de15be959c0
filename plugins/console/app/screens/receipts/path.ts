/** One step from an entry of the log up to its root: the entries whose hash is added, and on which side. */
export interface PathStep {
  readonly side: 'left' | 'right';
  /** First and last of these entries, from 0. */
  readonly from: number;
  readonly to: number;
}

/**
 * Lists the steps of the inclusion path of an entry, from the entry up, as RFC 9162 section 2.1.3 defines them; empty
 * when the log has no such entry.
 */
export function pathOf(index: number, size: number): readonly PathStep[] {
  const steps: PathStep[] = [];
  if (index >= size) return steps;
  let [first, count] = [0, size];
  while (count > 1) {
    // The left tree has the largest power of two below the count.
    let left = 1;
    while (left * 2 < count) left *= 2;
    const middle = first + left;
    if (index < middle) {
      steps.unshift({ side: 'right', from: middle, to: first + count - 1 });
      count = left;
    } else {
      steps.unshift({ side: 'left', from: first, to: middle - 1 });
      first = middle;
      count -= left;
    }
  }
  return steps;
}
