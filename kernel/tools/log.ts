import { destination as pinoDestination, pino, type DestinationStream } from 'pino';
import type { LogFormat, LogLevel } from './log/level.ts';

/** Writes structured lines: fields first, then a fixed message. Callers pass no secret; known names are redacted. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Makes a log whose lines carry these fields. */
  child(fields: object): Log;
}

interface AnsweredRequest {
  readonly method: string;
  /** The path as declared, such as `/runs/{run_id}`, or `unmatched`: a path itself may hold a token. */
  readonly route: string;
  readonly status: number;
  /** From the head of the request to its answer. */
  readonly ms: number;
  readonly request_id: string;
  readonly principal: string | undefined;
  readonly run_id: string | undefined;
  readonly tenant: string | undefined;
}

/** The program's log, which also writes one line for each answered request, at the level info. */
export interface ServerLog extends Log {
  answered(request: AnsweredRequest): void;
}

// Names of fields that could hold a secret; redaction is only the last safeguard.
const secretNames = 'authorization password pass secret token api_key apiKey key credential cookie'.split(' ');
const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** Creates the program's log: JSON lines on standard error (standard output belongs to the commands), or to `write`. */
export function createLog(level: LogLevel, write?: (line: string) => void): ServerLog {
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const log = pino(options, write === undefined ? standardError() : { write });
  // Redaction copies the fields, which takes five times as long as the line; none of these fields can be a secret.
  const requests = log.child({}, { redact: [] });
  return Object.assign(log, { answered: (request: AnsweredRequest) => requests.info(request, 'request') });
}

// Most bytes of log lines that wait to be written; further lines are dropped.
const mostWaitingBytes = 4 * 1024 * 1024;

// A full disk loses lines. It must not end the process, nor keep it from ending: the library would retry at the exit.
function standardError(): DestinationStream {
  const destination = pinoDestination({ fd: 2, sync: false, maxLength: mostWaitingBytes });
  const flush = destination.flushSync.bind(destination);
  let broken = false;
  destination.on('error', () => (broken = true)).on('write', () => (broken = false));
  destination.flushSync = () => (broken ? undefined : flush());
  return destination;
}

/** Makes the function that writes text lines to standard error; undefined for JSON, which `createLog` writes itself. */
export function textWriter(format: LogFormat): ((line: string) => void) | undefined {
  if (format === 'json') return undefined;
  const destination = standardError();
  return (line) => destination.write(textLine(line));
}

export const silentLog: ServerLog = Object.freeze({
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  answered: () => undefined,
  child: () => silentLog,
});

const plain = /^[\w@{}/.:+-]+$/;

/** Turns a JSON line of the log into a line for people: time, level, message, fields; the stack of an error below. */
export function textLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const said = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const head = [time, String(level).toUpperCase().padEnd(5), msg, ...said].join(' ');
  return `${harmless(head)}${stackOf(err)}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' && plain.test(value) ? value : JSON.stringify(value);
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return error === undefined ? '' : ` err=${textOf(error)}`;
  const { stack, message } = error as Readonly<Record<string, unknown>>;
  const told = [stack, message].find((text) => typeof text === 'string') ?? JSON.stringify(error);
  const lines = told.split('\n');
  return lines.map((line) => `\n    ${harmless(line.trim())}`).join('');
}

// A terminal would obey control characters, and bidirectional characters change how the text reads.
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
