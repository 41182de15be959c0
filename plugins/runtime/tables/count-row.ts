/** The columns by which counts of a tenant are grouped within one time. */
export const dimensions = ['what', 'orbiset_id', 'orb_id', 'name', 'status', 'mode', 'le_ms'] as const;

/** The columns by which a count is unique. */
export const key = ['tenant', 'step', 'at', ...dimensions] as const;

/** All columns of a count: how many there were, and their milliseconds together. */
export const columns = [...key, 'n', 'ms'] as const;

/** One row of counts. */
export type CountRow = Readonly<Record<(typeof columns)[number], string | number>>;
