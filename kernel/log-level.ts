/** Levels of ORB_LOG_LEVEL. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** One of the levels. */
export type LogLevel = (typeof logLevels)[number];
