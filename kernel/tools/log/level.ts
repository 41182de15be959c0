/** Levels of ORB_LOG_LEVEL. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Forms of a log line. */
export const logFormats = ['text', 'json'] as const;

export type LogFormat = (typeof logFormats)[number];
