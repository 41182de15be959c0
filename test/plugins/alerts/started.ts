import { definePlugin } from '../../../kernel/index.ts';
import { startPlatform, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import { shippedOrb } from './orbs.ts';
import { parseMail } from '../../providers/email/mail.ts';
import { clockAt, type SetClock } from '../schedules/started.ts';

/** A message that has arrived. */
export interface Message {
  readonly subject: string;
  readonly text: string;
}

/** A platform whose alerts arrive at a mail server. */
export interface Alerting {
  readonly smtp: SmtpReceiver;
  readonly clock: SetClock;
  /** What it logged, as JSON. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  platform(): TestPlatform;
  /** Lists the messages to an address, the first one first. */
  messages(to: string): readonly Message[];
  /** Waits until so many messages have arrived at an address, and answers the last one. */
  message(to: string, count?: number): Promise<Message>;
  /** Waits until the alerts have looked some more times. */
  looked(): Promise<void>;
  /** Starts it again with what it had stored. */
  restart(settings?: object): Promise<void>;
  stop(): Promise<void>;
}

/** Makes an alert whose messages go to `<when>@example.com`. */
export function alertOn(when: string, more: object = {}): object {
  return { when, orb_id: 'notify.email@1.0.0', inputs: mailTo(`${when}@example.com`), ...more };
}

/** Makes the inputs of a message to an address. */
export function mailTo(to: string): object {
  return { to, from_address: 'orb@example.com', subject: '{subject}', body: '{count}\n{summary}\n{url}\n' };
}

/** Makes the settings of a mail provider. */
export function mailer(port: number): object {
  return { adapter: 'email/smtp', config: { host: '127.0.0.1', port, starttls: 'never' } };
}

// Asks people about runs of the demo Orb whose text says so; allows all others.
const decider = definePlugin({
  name: 'decider',
  start({ hooks }) {
    hooks.authorize.tap('decider', ({ context, resource }) => {
      const rest = { decision_id: String(context['decision_id']), policies: ['demo'], warns: 0, shadow_denies: 0 };
      const { text } = context['inputs'] as { readonly text?: unknown };
      if (resource.id !== 'demo.echo@1.0.0' || text !== 'ask') return { allow: true, ...rest };
      const ask = { code: 'demo', message: 'a demo', approvers: 'office', of: 1, expires_s: 3600, bind: 'inputs' };
      return { allow: false, ...rest, reasons: [], asks: [{ ...ask, policies: ['demo'] }] as never };
    });
    return {};
  },
});

/** Where the settings of a test platform come from. */
export interface AlertingOptions {
  readonly alerts: readonly object[];
  /** Providers in addition to `mail` and `echo`. */
  readonly providers?: object;
  readonly bindings?: object;
  /** Other members of platform.json. */
  readonly more?: object;
  readonly at?: string;
}

/** Starts it: `ops.mail@1.0.0` is an Orb like `notify.email@1.0.0`, with providers of its own. */
export async function startAlerting({ alerts, ...options }: AlertingOptions): Promise<Alerting> {
  const smtp = await startSmtp();
  const clock = clockAt(options.at ?? '2026-11-23T10:00:00Z');
  const lines: Readonly<Record<string, unknown>>[] = [];
  const settings = (given: readonly object[]): object => ({
    providers: { mail: mailer(smtp.port), echo: { adapter: 'echo/local' }, ...options.providers },
    bindings: { 'notify.email@1.0.0': ['mail'], ...options.bindings },
    authorize: 'decider',
    ...options.more,
    plugins: {
      alerts: { config: { alerts: given } },
      approvals: { config: { groups: { office: ['prn_01M8FAMKDW8EACJ6XYYH95MPC3'] } } },
    },
  });
  const start = (given: readonly object[], home?: string): Promise<TestPlatform> => {
    const base: PlatformOptions = {
      ...{ plugins: [decider], clock, platform: settings(given), data: { 'orbs/ops.mail@1.0.0.json': shippedOrb } },
      onLog: (line) => void lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>),
    };
    return startPlatform(home === undefined ? base : { ...base, home });
  };
  let platform = await start(alerts);
  const messages: Alerting['messages'] = (to) =>
    smtp.messages
      .filter((one) => one.to.includes(to))
      .map(({ raw }) => parseMail(raw))
      .map(({ headers, text }) => ({ subject: headers['subject'] ?? '', text: text.replaceAll('\r\n', '\n') }));
  return {
    ...{ smtp, clock, lines, messages },
    platform: () => platform,
    async message(to, count = 1) {
      const found = await until(
        () => messages(to),
        ({ length }) => length >= count,
        `message ${count} to ${to}`,
      );
      return found[count - 1] ?? { subject: '', text: '' };
    },
    // Two looks, and the time in which events are grouped.
    looked: () => new Promise((resolve) => setTimeout(resolve, 3500)),
    async restart(given = alerts) {
      await platform.stop({ keep: true });
      platform = await start(given as readonly object[], platform.home);
    },
    async stop() {
      await platform.stop();
      await smtp.close();
    },
  };
}
