import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerAuthenticationResponse,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';

/** The certificate of the test server (for localhost and 127.0.0.1), also its own authority: PEM. */
export const testCertificate = readFileSync(new URL('tls-smtp/cert.pem', import.meta.url), 'utf8');
const testKey = readFileSync(new URL('tls-smtp/key.pem', import.meta.url), 'utf8');

/** A message the server took. */
export interface Delivered {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
  /** It came over TLS. */
  readonly secure: boolean;
  /** Who was logged in. */
  readonly user: string | undefined;
}

/** An SMTP reply that is a refusal, e.g. {code: 550, text: '5.1.1 no such user'}. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

/** What the server does wrong; may be changed while it runs. `hang`: no answer; `drop`: the connection is cut. */
export interface Misbehaviour {
  connect?: Refusal | 'hang' | 'drop';
  mail?: Refusal | 'hang' | 'drop';
  /** Per recipient. */
  rcpt?: (address: string) => Refusal | undefined;
  /** After the message was read whole. */
  data?: Refusal | 'hang' | 'drop';
}

/** How the server is to be started. */
export interface SmtpOptions {
  /** Where it listens; 127.0.0.1 unless given. */
  readonly host?: string;
  /** A free one unless given. */
  readonly port?: number;
  readonly tls?: 'none' | 'starttls' | 'implicit';
  /** Needed for every message when given. */
  readonly auth?: { readonly user: string; readonly pass: string };
  readonly onMessage?: (message: Delivered) => void;
  readonly misbehaviour?: Misbehaviour;
  readonly pipelining?: boolean;
}

/** A running server. */
export interface SmtpReceiver {
  readonly port: number;
  readonly messages: readonly Delivered[];
  readonly misbehaviour: Misbehaviour;
  /** Connections accepted since the start. */
  readonly accepted: number;
  /** MAIL FROM commands since the start. */
  readonly attempts: number;
  /** Connections open now. */
  readonly open: number;
  /** Resolves when a client connects, when `MAIL FROM` is read, or when a whole message was read, the next time. */
  reached(point: 'connect' | 'mail' | 'data'): Promise<void>;
  /** Resolves when no connection is open. */
  quiet(): Promise<void>;
  /** Cuts all connections. */
  drop(): void;
  close(): Promise<void>;
}

type Callback = (error?: Error | null) => void;

/** Starts a real SMTP server on a free port. */
export async function startSmtp(options: SmtpOptions = {}): Promise<SmtpReceiver> {
  const { misbehaviour = {}, onMessage } = options;
  const messages: Delivered[] = [];
  const sockets = new Set<Socket>();
  const waiting: { point: string; done: () => void }[] = [];
  const count = { accepted: 0, attempts: 0 };
  const drop = (): void => sockets.forEach((socket) => socket.destroy());

  const reach = (point: string): void => {
    for (const entry of waiting.splice(0)) (entry.point === point ? entry.done : () => waiting.push(entry))();
  };
  const act = (point: string, what: Refusal | 'hang' | 'drop' | undefined, callback: Callback): void => {
    reach(point);
    if (what === 'drop') drop();
    else if (what !== 'hang') callback(what && refusal(what));
  };

  const server = new SMTPServer({
    ...serverOptions(options),
    // The library's own count: a socket below TLS does not say when it is closed.
    onClose: () => void (server.connections.size === 0 && reach('quiet')),
    onConnect: (_session, callback) => act('connect', misbehaviour.connect, callback),
    onAuth: (auth, _session, callback) => authenticate(options, auth, callback),
    onMailFrom(_address, _session, callback) {
      count.attempts += 1;
      act('mail', misbehaviour.mail, callback);
    },
    onRcptTo({ address }: SMTPServerAddress, _session, callback) {
      const refused = misbehaviour.rcpt?.(address);
      callback(refused && refusal(refused));
    },
    onData(stream: SMTPServerDataStream, session: SMTPServerSession, callback) {
      const take = (raw: Buffer): void => {
        if (misbehaviour.data !== undefined) return act('data', misbehaviour.data, callback);
        const message = delivered(session, raw);
        messages.push(message);
        onMessage?.(message);
        act('data', undefined, callback);
      };
      // A client that leaves in the middle has sent no message.
      buffer(stream).then(take, () => undefined);
    },
  });
  // The TLS library reports the client's refusals here; they are what a test wants.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    count.accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const listener = server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(listener, 'listening');

  const when = async (point: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    waiting.push({ point, done: () => resolve(undefined) });
    await promise;
  };
  return {
    port: (listener.address() as AddressInfo).port,
    messages,
    misbehaviour,
    get accepted() {
      return count.accepted;
    },
    get attempts() {
      return count.attempts;
    },
    get open() {
      return server.connections.size;
    },
    reached: when,
    quiet: async () => (server.connections.size === 0 ? undefined : when('quiet')),
    drop,
    async close() {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      server.close(() => resolve(undefined));
      drop();
      await promise;
    },
  };
}

function serverOptions({ tls = 'none', auth, pipelining = true }: SmtpOptions): SMTPServerOptions {
  return {
    secure: tls === 'implicit',
    cert: testCertificate,
    key: testKey,
    name: 'mail.test',
    logger: false,
    authOptional: auth === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hidePIPELINING: !pipelining,
    closeTimeout: 100,
    // A client that leaves a connection open is found out by the test, not forgiven by the server.
    socketTimeout: 600_000,
    disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(auth === undefined ? ['AUTH'] : [])],
  };
}

function authenticate(
  { auth }: SmtpOptions,
  given: SMTPServerAuthentication,
  callback: (error: Error | null | undefined, response?: SMTPServerAuthenticationResponse) => void,
): void {
  const right = given.username === auth?.user && given.password === auth?.pass;
  if (right) callback(null, { user: given.username });
  // A careless server repeats what it was sent; nobody may pass that on.
  else
    callback(
      refusal({ code: 535, text: `5.7.8 wrong password ${String(given.password)} for ${String(given.username)}` }),
    );
}

function delivered({ envelope, secure, user }: SMTPServerSession, raw: Buffer): Delivered {
  return {
    from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    raw,
    secure,
    user: typeof user === 'string' ? user : undefined,
  };
}

function refusal({ code, text }: Refusal): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
