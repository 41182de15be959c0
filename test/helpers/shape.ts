/** Member of a sample that says: the answer has more members than are shown here. */
const more = '…';

/** Replaces every value by its type, so that two answers of one shape are equal; a list is as its elements. */
export function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return uniqueShapes(value);
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Leaves out of an answer what a sample leaves out by a member named `…`. */
export function shownBy(sample: unknown, answer: unknown): unknown {
  if (Array.isArray(sample) && Array.isArray(answer)) return answer.map((one) => shownBy(sample[0], one));
  if (!isObject(sample) || !isObject(answer)) return answer;
  const kept = Object.entries(answer).filter(([name]) => !(more in sample) || name in sample);
  const shown = kept.map(([name, member]) => [name, shownBy(sample[name], member)] as const);
  return Object.fromEntries(more in sample ? [...shown, [more, sample[more]]] : shown);
}

function uniqueShapes(values: readonly unknown[]): unknown {
  const shapes = values.map(shapeOf);
  return shapes.filter((shape, index) => shapes.findIndex((other) => same(shape, other)) === index);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
