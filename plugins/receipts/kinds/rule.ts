/** What a schema cannot say: members that must agree with each other. The first that does not is the fault. */
export type Rules = readonly (readonly [agrees: boolean, fault: string])[];

/** Says whether a text of the form of a time names one that exists; `undefined` is none that could be wrong. */
export function isTime(text: unknown): boolean {
  if (text === undefined) return true;
  const ms = typeof text === 'string' ? Date.parse(text) : NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
