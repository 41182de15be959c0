import { pino, destination as pinoDestination } from 'pino';
import type { LogLevel } from './log-level.ts';

/** Writes structured lines: fields first, then a fixed message. Secrets never enter; known names are redacted. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Makes a log whose lines carry these fields. */
  child(fields: object): Log;
}

// Names under which a secret could travel; redaction is the last net, not the first.
const secretNames = [
  'authorization',
  'password',
  'pass',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'key',
  'credential',
  'cookie',
];
const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** Creates the program's log: JSON lines on standard error (standard output belongs to the commands). */
export function createLog(level: LogLevel, write?: (line: string) => void): Log {
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, write === undefined ? pinoDestination({ fd: 2, sync: false }) : { write });
}

/** A log that writes nothing. */
export const silentLog: Log = Object.freeze({
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
});
