import { startSmtp, type Delivered, type SmtpReceiver } from '../../helpers/smtp.ts';

/** A mail that came. */
export interface Arrival {
  readonly subject: string;
  /** By which provider it was sent. */
  readonly provider: string;
  /** On the monotonic clock. */
  readonly at: number;
}

/** Receivers of mail, one for each provider. */
export interface Mails {
  readonly arrivals: readonly Arrival[];
  readonly messages: readonly Delivered[];
  /** The providers, as a configuration has them. */
  readonly providers: Readonly<Record<string, object>>;
  close(): Promise<void>;
}

/** Starts a receiver for each provider, so that each mail shows by which one it was sent. */
export async function startMails(names: readonly string[]): Promise<Mails> {
  const arrivals: Arrival[] = [];
  const messages: Delivered[] = [];
  const receivers: SmtpReceiver[] = [];
  const providers: Record<string, object> = {};
  for (const provider of names) {
    const receiver = await startSmtp({
      onMessage(message) {
        const subject = /^Subject: (.*)\r$/m.exec(message.raw.toString())?.[1] ?? '';
        arrivals.push({ subject, provider, at: performance.now() });
        messages.push(message);
      },
    });
    receivers.push(receiver);
    const config = { host: '127.0.0.1', port: receiver.port, starttls: 'never' };
    providers[provider] = { adapter: 'email/smtp', config };
  }
  return {
    ...{ arrivals, messages, providers },
    async close() {
      for (const receiver of receivers) await receiver.close();
    },
  };
}
