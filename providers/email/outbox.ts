import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { defineProvider, ProviderError } from '../../kernel/adapter.ts';
import { email } from './contract.ts';
import { loadCompose } from './message/compose.ts';
import { isKey, message } from './message/message.ts';

const config = {
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

/**
 * Writes each e-mail as `<idempotency key>.eml` (RFC 5322, readable by any mail program) instead of sending it.
 * The file name is the key, so a repeated call and a lookup find the file without a scan. Bcc is not written, as in a
 * sent message.
 */
export default defineProvider({
  name: 'outbox',
  capability: email,
  config,
  sandbox: true,
  idempotency: { kind: 'lookup' },
  async open({ config: { directory }, stateDir }) {
    const folder = resolve(stateDir, directory);
    const [compose] = await Promise.all([loadCompose(), makeFolder(folder)]);
    const fileOf = (key: string): string => join(folder, `${key}.eml`);
    return {
      async execute(inputs, { signal, idempotency_key }) {
        const mail = message(inputs, idempotency_key);
        const file = fileOf(idempotency_key);
        const written = await find(file);
        if (written !== undefined) return written;
        const content = await compose(mail);
        await publish(content, file, signal);
        return { message_id: mail.message_id };
      },
      probe: async (signal) => probe(folder, signal),
      lookup: async (key) => (isKey(key) ? find(fileOf(key)) : undefined),
    };
  },
});

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw notWritten('the outbox folder cannot be created', cause);
  }
}

/** Reads the outputs of an already written message from its file; undefined when there is no file. */
async function find(file: string): Promise<{ message_id: string } | undefined> {
  const content = await read(file);
  if (content === undefined) return undefined;
  const head = content.subarray(0, content.indexOf('\r\n\r\n') + 2).toString('latin1');
  // The field may be folded between its name and its value.
  const message_id = /^Message-ID:\s+(<[^<>\s]+>)\r$/imu.exec(head)?.[1];
  if (message_id === undefined) throw unreadable();
  return { message_id };
}

async function read(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unreadable(cause);
  }
}

/** Writes the file atomically and durably: it is on disk when the promise resolves. */
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
    await handle.sync().finally(() => handle.close());
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

// An existing file under this key may be the message, so the outcome is unknown.
function unreadable(cause?: unknown): ProviderError {
  return new ProviderError('unknown', 'the message in the outbox cannot be read', { phase: 'lookup', cause });
}
