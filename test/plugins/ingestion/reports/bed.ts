import { createHmac } from 'node:crypto';
import { defineCapability, defineProvider, ProviderError } from '../../../../kernel/adapter.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../../helpers/platform.ts';
import { recordOrb } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { startIngestion, type Hooked, type IngestionHome, type MadeSource } from '../home.ts';

export { providerKey } from '../../../../plugins/runtime/facts/provider-key.ts';

/** The address of the server as vendors know it. */
export const publicUrl = 'https://orb.example.com';
/** The auth token of the account at Twilio. */
export const authToken = 'a-made-up-auth-token';

const orb = 'test.record@1.0.0';

/** A call as the vendor got it. */
export interface Sent {
  readonly provider: string;
  readonly key: string;
  readonly report_url: string | undefined;
}

/** A platform whose providers note where they are to report, and lose the answers that they are told to lose. */
export interface ReportsBed extends IngestionHome {
  readonly sent: Sent[];
  /** What happens between the call and the loss of its answer. */
  beforeLoss: ((sent: Sent) => Promise<void>) | undefined;
  /** Runs the Orb; `lost`: the vendor takes it, and its answer is lost. */
  run(token?: 'lost' | 'taken'): Promise<Answer>;
  /** Makes a source of Twilio's reports for a provider. */
  twilio(provider?: string): Promise<MadeSource>;
  /** Reports as Twilio does, at the address that the call named. */
  report(
    to: string | undefined,
    status: string,
    more?: Readonly<Record<string, string>>,
    token?: string,
  ): Promise<Answer>;
  /** Calls a hook by an address that starts with the public one. */
  at(address: string, hooked: Hooked): Promise<Answer>;
  /** Reads a run once it has the status. */
  became(runId: string, status: string): Promise<Answer['body']>;
}

/** Makes an adapter that notes its calls. */
export function noting(sent: Sent[], lose: (sent: Sent) => Promise<void> = async () => undefined) {
  return defineProvider({
    name: 'sms',
    capability: defineCapability({ name: 'record', title: 'Record' }),
    config: { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } },
    open: ({ config: { name = '' } }) => ({
      async execute({ token }, { idempotency_key: key, report_url }) {
        const call = { provider: name, key, report_url };
        sent.push(call);
        if (token !== 'lost') return { token, by: name, opening: 1 };
        await lose(call);
        throw new ProviderError('unknown', 'the answer was lost', { phase: 'data' });
      },
    }),
  });
}

/** What the platform is started with. */
export function reportsPlatform(sent: Sent[], lose?: (sent: Sent) => Promise<void>): PlatformOptions {
  const provider = (name: string) => ({ adapter: 'record/sms', config: { name } });
  return {
    env: { ORB_PUBLIC_URL: publicUrl },
    platform: { providers: { one: provider('one'), two: provider('two') }, bindings: { [orb]: ['one'] } },
    data: { [`orbs/${orb}.json`]: recordOrb() },
    adapters: [noting(sent, lose)],
  };
}

/** Starts a platform without the plugin that takes reports. */
export function startWithoutReports(sent: Sent[]): Promise<TestPlatform> {
  const { platform, ...rest } = reportsPlatform(sent);
  return startPlatform({ ...rest, platform: { ...platform, plugins: { ingestion: false } } });
}

/** Starts it. */
export async function startReports(options: PlatformOptions = {}): Promise<ReportsBed> {
  const sent: Sent[] = [];
  const lose = async (call: Sent): Promise<void> => bed.beforeLoss?.(call);
  const home = await startIngestion({ ...reportsPlatform(sent, lose), ...options });
  const at: ReportsBed['at'] = (address, hooked) => home.hook(address.replace(publicUrl, ''), hooked);
  const bed: ReportsBed = {
    ...home,
    sent,
    beforeLoss: undefined,
    at,
    run: (token = 'lost') =>
      home.platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token } }),
    twilio: (provider = 'one') =>
      home.source({ name: 'sms', vendor: 'twilio', secret: authToken, may_name: { providers: [provider] } }),
    report(to = '', status, more = {}, token = authToken) {
      const fields = { MessageSid: 'SM1', MessageStatus: status, ...more };
      return at(to, twilioRequest(to, fields, token));
    },
    became: (runId, status) =>
      until(
        () => home.get(`/runs/${runId}`),
        (run) => run.status === status,
        `${runId} ${status}`,
        10,
      ),
  };
  return bed;
}

/** Signs a form as Twilio does: the address, then each field in the order of names. */
export function twilioRequest(address: string, fields: Readonly<Record<string, string>>, token: string): Hooked {
  const sorted = Object.keys(fields).sort();
  const text = address + sorted.map((name) => name + fields[name]).join('');
  const signature = createHmac('sha1', token).update(text).digest('base64');
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    body: new URLSearchParams(fields).toString(),
  };
}
