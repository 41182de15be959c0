import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import { atBegin, daysBefore, minutesBefore, type Episode } from './episode.ts';
import { Webhooks, type Alert } from './webhooks.ts';

const refusing: Alert = {
  ...{ name: 'MailProviderDown', severity: 'high', provider: 'postmark-eu' },
  summary: 'Postmark refuses connections',
};
const slow: Alert = {
  ...{ name: 'PushSlow', severity: 'warning', provider: 'ntfy' },
  summary: 'Push messages take longer than usual',
};
const email = 'notify.email@1.0.0';

/** Outages of vendors, the webhooks and incidents about them, and what the operators did. */
export function outageEpisodes(stage: Stage): readonly Episode[] {
  const { api, vendors } = stage;
  const hooks = new Webhooks(stage);
  const at = (clock: string, work: Episode['work'], days = 5): Episode => daysBefore(stage, days, clock, work);
  const post = async (path: string, body: object = {}): Promise<void> => void (await api('POST', path, { body }));
  const incident = async (): Promise<string> => `/incidents/${await found(stage)}`;
  const note = { text: 'Mails go out through another provider.', public: true, phase: 'identified' };
  const searching = { title: 'The search of the shop is slow', severity: 'warning' };
  return [
    atBegin(stage, 3, () => hooks.open()),
    at('09:20', () => vendors.down('slack'), 12),
    at('10:05', () => vendors.up('slack'), 12),
    at('10:02', () => vendors.down('postmark')),
    at('10:07', () => hooks.alert('firing', refusing)),
    at('10:09', () => hooks.page('incident.triggered')),
    at('10:12', async () => post(`${await incident()}/acknowledge`)),
    at('10:14', () => post(`/providers/${email}/swap`, { provider: 'resend' })),
    at('10:16', async () => post(`${await incident()}/notes`, note)),
    at('12:31', () => vendors.up('postmark')),
    at('12:36', () => hooks.page('incident.resolved')),
    at('12:38', () => hooks.alert('resolved', refusing)),
    at('13:10', () => post(`/providers/${email}/rollback`)),
    at('16:40', () => hooks.strange(), 2),
    minutesBefore(stage, 95, () => hooks.alert('firing', slow)),
    minutesBefore(stage, 80, () =>
      post('/incidents', { ...searching, scope: [{ kind: 'orb', id: 'shop.stock@2.0.1' }] }),
    ),
  ];
}

const patienceMs = 10_000;

// The server reads deliveries in the background.
async function found({ api, time }: Stage): Promise<string> {
  const path = '/incidents?provider=postmark-eu&limit=1';
  for (const until = performance.now() + patienceMs; performance.now() < until; await pause(20)) {
    const { incidents } = await api<{ readonly incidents: readonly { readonly incident_id: string }[] }>('GET', path);
    const [first] = incidents;
    if (first !== undefined) return first.incident_id;
    time.pass(time.now() + 1000);
  }
  throw new Error('the alerts of the outage opened no incident');
}
