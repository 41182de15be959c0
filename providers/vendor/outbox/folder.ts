import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ProviderError } from '../../../kernel/adapter.ts';

/** The configuration of an adapter that writes messages into a folder instead of sending them. */
export const outboxConfig = {
  type: 'object',
  additionalProperties: false,
  properties: {
    directory: {
      type: 'string',
      title: 'Directory',
      description: 'Folder to which messages are written; a relative path starts at the state dir.',
      minLength: 1,
      maxLength: 4096,
      default: 'outbox',
    },
  },
} as const;

/** A folder of messages: one file for each key, so that a repeated call and a lookup find it without a scan. */
export interface Outbox {
  /** Reads the message under a key; undefined when there is none. Throws ProviderError `unknown`. */
  find(key: string): Promise<Buffer | undefined>;
  /** Writes a message atomically and durably: it is on disk when the promise resolves. */
  publish(key: string, content: Buffer, signal: AbortSignal): Promise<void>;
  probe(signal: AbortSignal): Promise<void>;
}

/** Makes the folder below the state dir. `extension` ends the names of its files. */
export async function openOutbox(stateDir: string, directory: string, extension: string): Promise<Outbox> {
  const folder = resolve(stateDir, directory);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw notWritten('the outbox folder cannot be created', cause);
  }
  const fileOf = (key: string): string => join(folder, `${key}${extension}`);
  return {
    find: async (key) => (isKey(key) ? read(fileOf(key)) : undefined),
    async publish(key, content, signal) {
      if (!isKey(key))
        throw new ProviderError('not_sent', 'the idempotency key cannot be a file name', { phase: 'write' });
      await publish(content, fileOf(key), signal);
    },
    probe: async (signal) => probe(folder, signal),
  };
}

/** Says whether a key is valid as a file name, and as the left side of a Message-ID. */
export function isKey(idempotencyKey: string): boolean {
  return /^[a-z0-9]{16,64}$/u.test(idempotencyKey);
}

/** The error when a file under a key cannot be read: it may be the message, so the outcome is unknown. */
export function unreadable(cause?: unknown): ProviderError {
  return new ProviderError('unknown', 'the message in the outbox cannot be read', { phase: 'lookup', cause });
}

/** Parses the file of a message as JSON. Throws as `unreadable` says. */
export function writtenIn(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8')) as unknown;
  } catch (cause) {
    throw unreadable(cause);
  }
}

async function read(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unreadable(cause);
  }
}

async function publish(content: Buffer, file: string, signal: AbortSignal): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeDurably(temporary, content);
    signal.throwIfAborted();
    await rename(temporary, file);
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    if (signal.aborted)
      throw new ProviderError('not_sent', 'the deadline passed before the message was written', { phase: 'deadline' });
    throw notWritten('the message could not be written to the outbox', cause);
  }
  await syncFolder(dirname(file));
}

async function writeDurably(path: string, content: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// The rename is stored in the folder: a crash may undo it until the folder is on disk.
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new ProviderError('unknown', 'the outbox could not be flushed to disk', { phase: 'sync', cause });
  }
}

async function probe(folder: string, signal: AbortSignal): Promise<void> {
  const path = join(folder, `.probe-${randomUUID()}.tmp`);
  try {
    signal.throwIfAborted();
    await writeDurably(path, Buffer.alloc(0));
    await unlink(path);
  } catch (cause) {
    throw notWritten('the outbox folder is not writable', cause);
  }
}

function notWritten(text: string, cause: unknown): ProviderError {
  const remedy = 'check that the server may write to `directory`, and that the disk has free space';
  return new ProviderError('not_sent', text, { phase: 'write', cause, remedy });
}
