import { defineProvider, exactly, given, optional, type Infer } from '../../kernel/adapter.ts';
import { addressRule, isLoopbackHost } from '../../kernel/outbound.ts';
import { email } from './contract.ts';
import { compose } from './message/compose.ts';
import { createPool, type Pool } from './smtp/pool.ts';
import { isClosing, openSession, type Session, type SessionSettings } from './smtp/session.ts';
import { envelope, message } from './message/message.ts';

const host = {
  ...({ type: 'string', title: 'Host', minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:_-]+$' } as const),
  examples: ['mail.example.org'],
};
// Apart from the others: as a constant it would make the type of the host `never`.
const notWithPort = { not: { pattern: '^[^:]+:\\d+$', description: 'has a port; put the port into `port`' } };
const config = exactly({
  host: { ...host, ...notWithPort },
  port: {
    type: 'integer',
    title: 'Port',
    description: 'Usually 587 or 25 with STARTTLS, 465 with `secure`.',
    minimum: 1,
    maximum: 65535,
  },
  secure: optional({
    type: 'boolean',
    title: 'Implicit TLS',
    description: 'TLS from the first byte (port 465); `starttls` is then ignored.',
    default: false,
  }),
  starttls: optional({
    enum: ['required', 'opportunistic', 'never'],
    title: 'STARTTLS',
    description:
      'required: send only over TLS. opportunistic: use TLS if the server offers it, and log in only over TLS. ' +
      'never: send everything unencrypted, also the password; only for loopback.',
    default: 'required',
  }),
  auth: optional(
    exactly('Login', {
      user: { type: 'string', title: 'User name', minLength: 1, maxLength: 512 },
      password: { type: 'string', title: 'Password', minLength: 1, maxLength: 4096, secret: true },
    }),
  ),
  ca: optional({
    type: 'string',
    title: 'Certificate authority',
    description: 'PEM text of a private certificate authority; it replaces the public ones.',
    minLength: 1,
    maxLength: 65536,
  }),
  name: optional({
    type: 'string',
    title: 'Host name in EHLO',
    description: 'Default: the host name of the server.',
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9.:_[\\]-]+$',
  }),
  max_connections: optional({
    type: 'integer',
    title: 'Maximum number of connections',
    minimum: 1,
    maximum: 100,
    default: 5,
  }),
  connection_timeout_ms: optional({
    type: 'integer',
    title: 'Time limit for connecting',
    description: 'From the DNS lookup to the end of the TLS handshake.',
    minimum: 100,
    maximum: 120000,
    default: 10000,
  }),
  socket_timeout_ms: optional({
    type: 'integer',
    title: 'Time limit without data from the server',
    minimum: 100,
    maximum: 600000,
    default: 30000,
  }),
});

/**
 * Sends each e-mail over SMTP (RFC 5321), over kept connections and exactly once per call. The e-mail goes to all
 * recipients or to none: when the server refuses one recipient, nothing is sent, and the error says which one it was.
 */
export default defineProvider({
  name: 'smtp',
  capability: email,
  about: 'Sends e-mail through a mail server, over SMTP.',
  config,
  warningsOf: ({ host, secure, starttls }) =>
    starttls !== 'never' || secure === true || isLoopbackHost(host.includes(':') ? `[${host}]` : host)
      ? []
      : [`starttls is never, and ${host} is another machine: mail and password are sent unencrypted; use required`],
  async open({ config: chosen }) {
    const rule = addressRule.getStore();
    const { default: Smtp } = await import('nodemailer/lib/smtp-connection');
    const settings = { ...sessionSettings(chosen), rule };
    const open = (signal: AbortSignal) => openSession(Smtp, settings, signal);
    // Shorter than the socket timeout, so that an idle connection ends with QUIT.
    const idle_ms = Math.ceil(chosen.socket_timeout_ms / 2);
    const pool = createPool({ open, max: chosen.max_connections, idle_ms });
    return {
      async execute(inputs, { signal, idempotency_key, log }) {
        const mail = message(inputs, idempotency_key);
        const raw = await compose(mail);
        const by = (session: Session) => session.send(envelope(mail), raw, signal);
        const { server_message_id, refused } = await send(pool, by, signal);
        if (refused > 0) log.warn({ refused }, 'the mail server accepted the message for only some of the recipients');
        return { message_id: server_message_id ?? mail.message_id };
      },
      // Opens a new connection: a kept one would only prove an earlier state.
      async probe(signal) {
        const session = await open(signal);
        await session.quit();
      },
      close: () => pool.close(),
    };
  },
});

/** Sends by a session; one that was kept and that the server closes before the message is no try. */
async function send<T>(pool: Pool, by: (session: Session) => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const session = await pool.take(signal);
    const wasKept = session.sent > 0;
    try {
      return await by(session);
    } catch (error) {
      // Nothing was sent, and the session is not used again: in the end a new one decides.
      if (!wasKept || !isClosing(error)) throw error;
    } finally {
      pool.give(session);
    }
  }
}

function sessionSettings(settings: Infer<typeof config>): SessionSettings {
  const { auth, ca, connection_timeout_ms, host, name, port, secure, socket_timeout_ms, starttls } = settings;
  return {
    connection: {
      ...{ host, port, secure },
      requireTLS: starttls === 'required',
      opportunisticTLS: starttls === 'opportunistic',
      ignoreTLS: starttls === 'never',
      connectionTimeout: connection_timeout_ms,
      greetingTimeout: connection_timeout_ms,
      dnsTimeout: connection_timeout_ms,
      socketTimeout: socket_timeout_ms,
      ...given({ name, tls: ca === undefined ? undefined : { ca } }),
    },
    auth,
    authNeedsTls: starttls !== 'never',
  };
}
