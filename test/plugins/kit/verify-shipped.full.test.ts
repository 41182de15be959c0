import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { builtin } from '../../helpers/shipped.ts';
import { startSmtp } from '../../helpers/smtp.ts';
import { startVendor, type VendorContract, type VendorReply } from '../../helpers/vendor.ts';
import { discordBed } from '../../providers/chat/doubles/discord.ts';
import { matrixBed } from '../../providers/chat/doubles/matrix.ts';
import { telegramBed } from '../../providers/chat/doubles/telegram.ts';
import { slackBed } from '../../providers/chat/vendors/slack.ts';
import { inputs as chatInputs } from '../../providers/chat/vendors/suite.ts';
import { incomingBed, teamsBed } from '../../providers/chat/vendors/webhook.ts';
import { auth, inputs as mailInputs, plain, serverAuth } from '../../providers/email/smtp-bed.ts';
import { mailgunBed } from '../../providers/email/vendors/mailgun.ts';
import { postmarkBed } from '../../providers/email/vendors/postmark.ts';
import { resendBed } from '../../providers/email/vendors/resend.ts';
import { sendgridBed } from '../../providers/email/vendors/sendgrid.ts';
import { sesBed } from '../../providers/email/vendors/ses.ts';
import { inputs as mail } from '../../providers/email/vendors/stage.ts';
import { text as pushText } from '../../providers/push/vendors/bed.ts';
import { ntfyBed } from '../../providers/push/vendors/ntfy.ts';
import { serviceBed } from '../../providers/push/vendors/service.ts';
import { inputs as sms } from '../../providers/sms/vendors/bed.ts';
import { kannelBed } from '../../providers/sms/vendors/kannel.ts';
import { twilioBed } from '../../providers/sms/vendors/twilio.ts';
import { vonageBed } from '../../providers/sms/vendors/vonage.ts';
import type { JsonSchema } from '../../../kernel/index.ts';
import type { VerifyReport } from '../../../plugins/kit/verify/report.ts';

interface Bed {
  config(url: string): object;
  readonly contract: VendorContract;
  readonly success: VendorReply;
}

/** Settings of one verification. */
interface Settings {
  readonly config?: object;
  readonly inputs: object;
  readonly live?: true;
  readonly fault_target?: object;
}

type Arranged = Settings & { readonly close?: () => Promise<unknown> };

/** The command replaces the vendor by its own server, which fails in every way; no check is left out. */
function replaced(bed: Bed, inputs: object, target: object = {}): () => Promise<Arranged> {
  const fault_target = { url: '/base_url', success: bed.success, ...target };
  return async () => ({ config: bed.config('http://localhost'), inputs, fault_target });
}

/** The double of the vendor answers: its health check posts, or its address is no setting, so that no server can replace it. */
function double(bed: Bed, inputs: (url: string) => object): () => Promise<Arranged> {
  return async () => {
    const vendor = await startVendor(bed.contract);
    return { config: bed.config(vendor.url), inputs: inputs(vendor.url), live: true, close: () => vendor.close() };
  };
}

async function smtp(): Promise<Arranged> {
  const server = await startSmtp({ auth: serverAuth });
  const config = { ...plain, port: server.port, auth };
  const fault_target = { host: '/host', port: '/port' };
  return { config, inputs: mailInputs, live: true, fault_target, close: () => server.close() };
}

const outbox = (inputs: object) => async (): Promise<Arranged> => ({ inputs });
const push = { ...pushText, to: { topic: 'alerts-9f2c1d77e0' } };
const ok = { status: 200, body: { ok: true } };
const posted = {
  ...{ ts: '1503435956.000247', channel: 'C024BE91L', text: 'Disk full' },
  metadata: { event_type: 'orb_run', event_payload: { key: '{accepted_key}' } },
};
const history = {
  ...{ method: 'GET', path: '/api/conversations.history', status: 200 },
  body: { ok: true, messages: [posted] },
};
const me = { method: 'GET', path: '/v3/scopes', status: 200, body: { scopes: ['mail.send'] } };

const rows: Readonly<Record<string, () => Promise<Arranged>>> = {
  'email/smtp': smtp,
  'email/postmark': replaced(postmarkBed, mail),
  'email/mailgun': replaced(mailgunBed, mail),
  'email/resend': replaced(resendBed, mail),
  'email/sendgrid': replaced(sendgridBed, mail, { answers: [me] }),
  'email/ses': replaced(sesBed, mail),
  'email/outbox': outbox(mail),
  'chat/slack': replaced(slackBed, chatInputs, {
    answers: [{ method: 'GET', path: '/api/auth.test', ...ok }, history],
  }),
  'chat/teams': replaced(teamsBed, chatInputs, { url: '/channels/ops' }),
  'chat/matrix': replaced(matrixBed, chatInputs),
  'chat/telegram': replaced(telegramBed, chatInputs),
  'chat/discord': replaced(discordBed, chatInputs),
  'chat/incoming': replaced(incomingBed('slack'), chatInputs, { url: '/channels/ops' }),
  'chat/outbox': outbox(chatInputs),
  'sms/twilio': double(twilioBed, () => sms),
  'sms/vonage': double(vonageBed, () => sms),
  'sms/kannel': double(kannelBed, () => sms),
  'sms/outbox': outbox(sms),
  'push/webpush': double(serviceBed, (url) => ({ ...pushText, to: serviceBed.to(url) })),
  'push/ntfy': replaced(ntfyBed, push),
  'push/outbox': outbox(push),
};

// COPIES_SOAK: all of them. Otherwise one or two of each capability, and one of each way above: each adapter passes the same
// suite in test/providers, without the command.
const representatives = 'email/smtp email/sendgrid email/outbox chat/slack chat/teams sms/twilio push/webpush';
const verifiedHere = Object.keys(rows).filter(
  (name) => process.env['COPIES_SOAK'] !== undefined || representatives.split(' ').includes(name),
);

/** Writes secrets as references, as an operator must, and collects the variables that they name. */
function referenced(value: unknown, schema: JsonSchema, env: Record<string, string>): unknown {
  if (typeof value === 'string' && schema['secret'] === true) {
    const name = `VERIFY_${Object.keys(env).length}`;
    env[name] = value;
    return { $env: name };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const rest = (schema['additionalProperties'] ?? {}) as JsonSchema;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, referenced(one, properties[name] ?? rest, env)]),
  );
}

async function verified(home: string, adapter: string, { config = {}, close: _, ...settings }: Arranged) {
  const env: Record<string, string> = {};
  const schema = builtin.adapters.find(({ name }) => name === adapter)?.config ?? {};
  const file = join(home, `${adapter.replace('/', '-')}.json`);
  writeFileSync(file, JSON.stringify({ ...settings, config: referenced(config, schema, env) }));
  const words = [shippedProgram, 'provider', 'verify', adapter, '--config', file, '--json'];
  const child = spawn(process.execPath, words, { cwd: home, env });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const report = out.startsWith('{') ? (JSON.parse(out) as VerifyReport) : undefined;
  return { code: await ended, errors, report, out };
}

// The titles of checks that the kind of a row leaves out.
const faults = ['says the right outcome once, without a retry, when the other side fails'];
const hangs = ['returns soon after the signal, when the other side hangs'];
const effects = ['passes its probe without an effect, and has one effect per call'];
const leftOut = ({ fault_target, config }: Settings): readonly string[] => {
  if (fault_target === undefined) return [...faults, ...hangs, ...effects];
  return config !== undefined && 'url' in fault_target ? [] : effects;
};

describe('orb provider verify, of each shipped adapter of messages', function () {
  this.timeout(240_000);
  const home = mkdtempSync(join(tmpdir(), 'orb-verify-'));
  const results = new Map<string, Awaited<ReturnType<typeof verified>> & { readonly settings: Settings }>();
  before(async () => {
    const left = Object.entries(rows).filter(([adapter]) => verifiedHere.includes(adapter));
    const worker = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const [adapter, arrange] = next;
        const settings = await arrange();
        try {
          results.set(adapter, { ...(await verified(home, adapter, settings)), settings });
        } finally {
          await settings.close?.();
        }
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  it('has a row for each of them', () => {
    const shipped = builtin.adapters.filter(({ capability }) => /^(email|chat|sms|push)$/.test(capability));
    expect(Object.keys(rows)).to.have.members(shipped.map(({ name }) => name));
  });

  for (const adapter of verifiedHere)
    it(`passes ${adapter}`, () => {
      const { code, errors, out, report, settings } = results.get(adapter) ?? expect.fail('it was not verified');
      const of = (status: string) => (report?.checks ?? []).filter((check) => check.status === status);
      const failed = of('failed').map(({ title, detail }) => `${title} | ${detail}`);
      expect([...failed, code === 0 ? '' : errors].join('\n'), out).to.equal('');
      expect([code, report?.adapter, report?.conforms]).to.deep.equal([0, adapter, true]);
      expect(of('skipped').map(({ title }) => title)).to.deep.equal(leftOut(settings));
      expect(of('passed').length).to.be.above(7);
    });
});
