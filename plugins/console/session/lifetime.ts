/** A minute in milliseconds. */
export const minute = 60_000;

/** How long a session lasts: in all, and without a use; and how long a link does. */
export const lasts = { session: 12 * 60 * minute, idle: 30 * minute, link: minute } as const;
