import { startSmtp, type SmtpReceiver } from '../../helpers/smtp.ts';
import { until } from '../../helpers/until.ts';
import { parseMail } from '../../providers/email/mail.ts';
import type { PlatformOptions } from '../../helpers/platform.ts';
import { ask, startApproving, type Approving } from './started.ts';

/** A browser's answer. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A platform whose group gets its notices by a real mail server. */
export interface Mailing {
  readonly office: Approving;
  readonly smtp: SmtpReceiver;
  /** Holds a run, and answers it with its approval. */
  held(inputs?: object, more?: object): Promise<{ run_id: string; approval: { id: string; url: string } }>;
  /** Waits for the mail to a person about an approval, and answers its text and its link. */
  mail(approvalId: string, who: string): Promise<{ text: string; subject: string; link: string }>;
  /** Sends a request as a browser does: it takes pages. */
  browse(url: string, options?: RequestInit): Promise<PageAnswer>;
  /** Sends the form of a page. */
  submit(
    url: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<PageAnswer>;
  stop(): Promise<void>;
}

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Starts it; `settings` are those of the group. */
export async function startMailing(settings: object = {}, options: PlatformOptions = {}): Promise<Mailing> {
  const smtp = await startSmtp();
  const inputs = (who: string): object => ({
    ...{ to: `${who}@example.com`, from_address: 'orb@example.com', subject: '{subject}', body: '{text}' },
  });
  const office = await startApproving(
    (ids) => {
      const people = ['ada', 'bob', 'agent'] as const;
      const notify = people.map((who) => ({ orb: 'notify.email@1.0.0', member: ids[who], inputs: inputs(who) }));
      const members = people.map((who) => ids[who]);
      return { groups: { office: { members, links: true, notify, ...settings }, other: [ids.eve] } };
    },
    {
      ...options,
      settings: {
        providers: {
          echo: { adapter: 'echo/local' },
          mail: { adapter: 'email/smtp', config: { host: '127.0.0.1', port: smtp.port, starttls: 'never' } },
        },
      },
    },
  );
  // The port is found at the start; the address in links is that of the settings.
  const here = (url: string): string => url.replace(/^https?:\/\/[^/]+/, office.url());
  const browse: Mailing['browse'] = async (url, { headers = {}, ...rest } = {}) => {
    const answer = await fetch(url, { redirect: 'manual', ...rest, headers: { accept, ...(headers as object) } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  return {
    ...{ office, smtp, browse },
    async held(given = { text: 'hello' }, more = {}) {
      const { status, body } = await office.execute(given, more);
      if (status !== 202) throw new Error(JSON.stringify(body));
      const { run_id, approval } = body as Awaited<ReturnType<Mailing['held']>>;
      return { run_id, approval: { ...approval, url: here(approval.url) } };
    },
    async mail(approvalId, who) {
      const texts = () =>
        smtp.messages.filter(({ to }) => to.includes(`${who}@example.com`)).map(({ raw }) => parseMail(raw));
      const found = await until(
        () => texts().find(({ text }) => text.includes(approvalId)),
        (one) => one !== undefined,
        `the mail to ${who} about ${approvalId}`,
      );
      const text = found?.text ?? '';
      return { text, subject: found?.headers['subject'] ?? '', link: here(/^https?:\S+/m.exec(text)?.[0] ?? '') };
    },
    submit: (url, fields, headers = {}) =>
      browse(url, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
      }),
    async stop() {
      await office.stop();
      await smtp.close();
    },
  };
}

/** Reads the digest in the form of a page. */
export function digestIn(page: string): string {
  return /name="digest" value="(sha256:[0-9a-f]{64})"/.exec(page)?.[1] ?? '';
}

/** Reads the JSON text of the inputs that the page of an approval shows. */
export function inputsOn(page: string): string {
  const seen = /<code id="inputs"[^>]*>([\s\S]*?)<\/code>/.exec(page)?.[1] ?? '';
  return seen
    .replace(/<mark class="odd" data-char="([0-9A-F]+)"[^>]*>.*?<\/mark\s*>/gs, (_, code: string) =>
      JSON.stringify(String.fromCodePoint(Number.parseInt(code, 16))).slice(1, -1),
    )
    .replace(/<\/?bdi>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

export { ask };
