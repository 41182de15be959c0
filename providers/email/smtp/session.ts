import { Readable } from 'node:stream';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { ProviderError } from '../../../kernel/adapter.ts';
import { addressOf, type SmtpServer } from './server-words.ts';
import { abortedCode, noTlsRemedy, smtpOutcome, type SmtpFault, type SmtpMoment } from './outcome.ts';
import { checkedHost, type AddressRule } from './place.ts';
import type { Envelope } from '../message/message.ts';

/** The library's connection class, loaded by `open`. */
export type Connection = typeof SmtpConnection;

/** Settings of a session: the server's address and our login. */
export interface SessionSettings {
  readonly connection: NonNullable<ConstructorParameters<Connection>[0]>;
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  /** Sends the password only over TLS. */
  readonly authNeedsTls: boolean;
  /** Which hosts may have a private address; absent: every one. */
  readonly rule?: AddressRule | undefined;
}

/** The server's reply when it accepted the message. */
export interface Sent {
  /** The id that the server assigned, if it reports one. */
  readonly server_message_id: string | undefined;
  /** Number of recipients that the server still refused. */
  readonly refused: number;
}

/** One SMTP connection, logged in; carries one message at a time and is never used again after a failure. */
export type Session = ReturnType<typeof session>;

const quitMs = 1000;
const maxMessageId = 998;

/** Connects, starts TLS and logs in. Throws ProviderError; no message has been sent then. */
export async function openSession(Smtp: Connection, settings: SessionSettings, signal: AbortSignal): Promise<Session> {
  // close() must end the socket at once: no unfinished work may continue after the caller has its answer.
  const place = await checkedPlace(settings);
  const connection = new Smtp({ ...settings.connection, ...place, socketCloseTimeout: 0 });
  // An emitter throws an 'error' event without a listener; each step adds its own listener only while it runs.
  connection.on('error', () => undefined);
  try {
    await step(connection, signal, (done) => connection.connect(done));
    await login(connection, settings, signal);
  } catch (error) {
    connection.close();
    throw outcomeOf(error, { handed: false, recipients: [], server: serverOf(settings) });
  }
  return session(connection);
}

async function checkedPlace(settings: SessionSettings): ReturnType<typeof checkedHost> {
  try {
    return await checkedHost(serverOf(settings), settings.rule);
  } catch (error) {
    throw outcomeOf(error, { handed: false, recipients: [], server: serverOf(settings) });
  }
}

function serverOf({ connection: { host = '', port = 0 }, auth }: SessionSettings): SmtpServer {
  return { host, port: Number(port), auth };
}

async function login(connection: SmtpConnection, settings: SessionSettings, signal: AbortSignal): Promise<void> {
  const { auth, authNeedsTls } = settings;
  if (auth === undefined) return;
  if (authNeedsTls && !connection.secure)
    throw new ProviderError('not_sent', 'the mail server offers no TLS; the password was not sent', {
      phase: 'tls',
      remedy: `${noTlsRemedy}; tried: ${addressOf(serverOf(settings))}`,
    });
  // Logs in even when the server offers no login: without one, the message would have another sender identity.
  const credentials = { user: auth.user, pass: auth.password };
  await step(connection, signal, (done) => connection.login({ user: auth.user, credentials }, done));
}

function session(connection: SmtpConnection) {
  let sent = 0;
  return {
    /** Number of messages that this session was given to send. */
    get sent() {
      return sent;
    },
    get closed() {
      return connection.destroyed;
    },
    /** Sends one message, once. Throws ProviderError. */
    async send(to: Envelope, raw: Buffer, signal: AbortSignal) {
      sent += 1;
      return send(connection, to, raw, signal);
    },
    /** Sends QUIT and closes within a second. */
    quit: async () => quit(connection),
    /** Closes at once. */
    destroy: () => connection.close(),
  };
}

// The library writes refusals into the envelope that we pass; its types declare them only on the library's own copy.
interface WireEnvelope {
  from: string;
  to: string[];
  size: number;
  rejectedErrors?: SmtpFault[];
}

async function send(connection: SmtpConnection, to: Envelope, raw: Buffer, signal: AbortSignal): Promise<Sent> {
  const wire: WireEnvelope = { from: to.from, to: to.recipients.map(({ address }) => address), size: raw.length };
  let handed = false;
  // The library first reads this after the server answered DATA with 354: before that, no byte of the message has left.
  const content = new Readable({
    read() {
      const refusals = wire.rejectedErrors ?? [];
      if (refusals.length > 0)
        return void this.destroy(Object.assign(new Error('refused'), { rejectedErrors: refusals }));
      handed = true;
      this.push(raw);
      this.push(null);
    },
  });
  try {
    const info = await step<SendInfo>(connection, signal, (done) => connection.send(wire, content, done));
    const id = info.serverMessageId;
    return {
      server_message_id: id !== undefined && id.length <= maxMessageId ? id : undefined,
      refused: info.rejected.length,
    };
  } catch (error) {
    connection.close();
    throw outcomeOf(error, { handed, recipients: to.recipients });
  }
}

type SendInfo =
  Parameters<Parameters<SmtpConnection['send']>[2]> extends [unknown, infer Info] ? NonNullable<Info> : never;

/** Runs one step of the connection: ends with its callback, the connection's end, or the signal. */
async function step<T>(connection: SmtpConnection, signal: AbortSignal, start: (done: Done<T>) => void): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => {
    connection.close();
    reject(failure('aborted', abortedCode));
  };
  // The callback of a failing step follows directly after `end` and has the more precise error.
  const onEnd = (): void => void setImmediate(() => reject(failure('connection closed', 'ECONNECTION')));
  connection.once('error', reject);
  connection.once('end', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw failure('aborted', abortedCode);
    start((error, value) => (error ? reject(error) : resolve(value as T)));
    return await promise;
  } finally {
    connection.off('error', reject);
    connection.off('end', onEnd);
    signal.removeEventListener('abort', onAbort);
  }
}

type Done<T> = (error?: Error | null, value?: T) => void;

async function quit(connection: SmtpConnection): Promise<void> {
  if (connection.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, quitMs, undefined);
  connection.once('end', () => resolve(undefined));
  connection.quit();
  await promise;
  clearTimeout(timer);
  connection.close();
}

/**
 * Says whether the server ended the session before the message: 421 to a command (RFC 5321 §3.8). On a session that was
 * kept, this is how a server closes a connection that was idle for too long.
 */
export function isClosing(error: unknown): boolean {
  if (!(error instanceof ProviderError) || error.outcome === 'unknown' || error.phase === 'data') return false;
  const { responseCode, rejectedErrors = [] } = (error.cause ?? {}) as SmtpFault;
  return responseCode === 421 || rejectedErrors.some((one) => one.responseCode === 421);
}

function failure(text: string, code: string): SmtpFault {
  return Object.assign(new Error(text), { code });
}

function outcomeOf(error: unknown, moment: SmtpMoment): ProviderError {
  if (error instanceof ProviderError) return error;
  return smtpOutcome(error instanceof Error ? error : new Error('the SMTP client failed'), moment);
}
