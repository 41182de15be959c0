import { timestamp } from '../../../kernel/index.ts';
import { orbs } from '../cast.ts';
import { execute } from '../execute.ts';
import { dayMs, manifestOf, namespaceOf, type Stage } from '../stage.ts';
import { brokenHook } from '../vendor-answers.ts';
import { atBegin, daysBefore, minutesBefore, type Episode } from './episode.ts';

const sms = (text: string): object => ({ orb_id: 'notify.sms@1.0.0', inputs: { to: '+4915112345678', text } });

/** Hours of the day at which schedules run. */
export const scheduleHours: readonly number[] = [6, 9];

/** What publishers and operators did: listings, a suspension, schedules, callbacks, runs whose outcome is unknown. */
export function marketEpisodes(stage: Stage): readonly Episode[] {
  const { api, keys, vendors } = stage;
  const post = async (path: string, body: object, key?: string): Promise<void> =>
    void (await api('POST', path, key === undefined ? { body } : { key, body }));
  const lost = (text: string) => async (): Promise<void> => {
    vendors.failNext('twilio', 'cut');
    await execute(stage, { caller: 'support' }, sms(text));
  };
  return [
    atBegin(stage, 5, () => grant(stage)),
    atBegin(stage, 10, () => publish(stage)),
    atBegin(stage, 15, () => subscribe(stage)),
    atBegin(stage, 20, () => schedule(stage)),
    atBegin(stage, 25, () => put(stage)),
    daysBefore(stage, 10, '08:30', () => post('/signing-keys/rotate', { role: 'receipt', reason: 'Once a year' })),
    daysBefore(stage, 8, '14:10', lost('Your parcel is at the counter.')),
    daysBefore(stage, 8, '14:40', () => settle(stage)),
    daysBefore(stage, 3, '16:00', async () => {
      const reason = 'The publisher looks into complaints about wrong recipients.';
      await post('/reputation/acme.invoice-push@1.0.0/suspend', { reason });
    }),
    minutesBefore(stage, 60, lost('Your code is 123456.')),
    minutesBefore(stage, 45, async () => {
      const [starts_at, ends_at] = [dayMs, dayMs + 3_600_000].map((ms) => timestamp(stage.end + ms));
      const scope = [{ kind: 'component', id: 'runtime' }];
      await post('/maintenance', { title: 'Upgrade of the database', scope, starts_at, ends_at });
    }),
    minutesBefore(stage, 30, async () => {
      const later = { mode: 'async', run_at: timestamp(stage.end + dayMs) };
      await post(
        '/orbisets/default/execute',
        { ...sms('Do not forget your appointment.'), ...later },
        keys.nightly.key,
      );
    }),
  ];
}

async function grant({ api, keys, manifestKeys }: Stage): Promise<void> {
  const owners = { acme: keys.acme.principal, shop: keys.shop.principal };
  for (const [namespace, manifest_key] of manifestKeys) {
    const principal = owners[namespace as keyof typeof owners] as string | undefined;
    const owner = principal === undefined ? {} : { owner: { tenant: 'default', principal } };
    await api('POST', '/namespaces', { body: { namespace, manifest_key, ...owner } });
  }
}

async function publish({ api, keys }: Stage): Promise<void> {
  for (const { orb_id, publisher, tags, description = 'An Orb that ships with the program.', title } of orbs) {
    const readme = `# ${title ?? namespaceOf(orb_id)}\n\n${description}\n`;
    const key = publisher === undefined || publisher === 'admin' ? {} : { key: keys[publisher].key };
    const body = { orb_id, listing: { readme, description, ...(tags === undefined ? {} : { tags }) } };
    await api('POST', '/marketplace/orbs/publish', { ...key, body });
  }
}

async function subscribe({ api, vendors: { urls } }: Stage): Promise<void> {
  const path = '/orbisets/shop/subscriptions';
  await api('POST', path, { body: { url: `${urls.shop}/hooks/orders`, types: ['run.failed', 'run.denied'] } });
  await api('POST', path, { body: { url: urls.shop + brokenHook, types: ['run.failed'], format: 'cloudevents' } });
}

async function schedule({ api, keys: { nightly }, vendors: { urls } }: Stage): Promise<void> {
  const made = (orbiset: string, body: object) =>
    api<{ readonly schedule_id: string }>('POST', `/orbisets/${orbiset}/schedules`, { key: nightly.key, body });
  const inputs = { url: `${urls.shop}/articles/all` };
  const { schedule_id } = await made('shop', { orb_id: 'shop.stock@2.0.1', cron: '*/30 * * * *', inputs });
  await api('POST', `/orbisets/shop/schedules/${schedule_id}/pause`, { key: nightly.key });
  await made('shop', { orb_id: 'shop.stock@2.0.1', cron: '0 6 * * *', inputs });
  const monday = { channel: 'ops', text: 'A new week begins.' };
  await made('default', { orb_id: 'notify.chat@1.0.0', cron: '0 9 * * MON', timezone: 'UTC', inputs: monday });
}

// What operators add without a file: an Orb, an Orbiset, a provider.
async function put({ api, home }: Stage): Promise<void> {
  const texts = { title: 'Greet a visitor', description: 'Answers with the text of a greeting.' };
  const greeting = { orb_id: 'acme.greeting@1.0.0', like: 'demo.echo@1.0.0', ...texts };
  await api('PUT', `/orbs/${greeting.orb_id}`, { body: manifestOf(greeting, home) });
  const limits = { rate: { count: 100, window_s: 60 } };
  await api('POST', '/orbisets', { body: { id: 'support', tenant: 'default', orbs: ['notify.*', 'acme.*'], limits } });
  const archive = { adapter: 'email/outbox', config: { directory: 'outbox-archive' } };
  await api('PUT', '/providers/archive', { body: archive });
}

// The operator found the message in the list of the vendor.
async function settle({ api }: Stage): Promise<void> {
  const { runs } = await api<{ readonly runs: readonly { readonly run_id: string }[] }>(
    'GET',
    '/runs?status=indeterminate&limit=1',
  );
  const body = { outcome: 'sent', note: 'It is in the log of Twilio.' };
  await api('POST', `/runs/${runs[0]?.run_id}/resolve`, { body });
}
