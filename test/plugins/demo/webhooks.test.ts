import { expect } from 'chai';
import { Webhooks } from '../../../plugins/demo/episodes/webhooks.ts';

interface Sent {
  readonly path: string;
  readonly alerts?: readonly { readonly status: string; readonly startsAt: string; readonly endsAt: string }[];
}

describe('the alerts of the demonstration', () => {
  it('begin when they fire, and end when they are resolved', async () => {
    const sent: Sent[] = [];
    let now = Date.UTC(2026, 0, 31, 12);
    const api = (_: string, path: string, { body }: { readonly body: object }) => {
      if (path.startsWith('/hooks/')) sent.push({ path, ...body });
      return Promise.resolve({ token: 'whk_1', secret: 's' });
    };
    type Stage = ConstructorParameters<typeof Webhooks>[0];
    const webhooks = new Webhooks({ api, time: { now: () => now } } as unknown as Stage);
    await webhooks.open();
    const alert = { name: 'MailDown', provider: 'mail', severity: 'critical', summary: 'No mail' } as const;
    await webhooks.alert('firing', alert);
    now += 300_000;
    await webhooks.alert('resolved', alert);
    const [begun, ended] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:05:00.000Z'];
    expect(
      sent.map(({ alerts: [one] = [] }) => one && { status: one.status, startsAt: one.startsAt, endsAt: one.endsAt }),
    ).to.deep.equal([
      { status: 'firing', startsAt: begun, endsAt: '0001-01-01T00:00:00Z' },
      { status: 'resolved', startsAt: begun, endsAt: ended },
    ]);
    expect(sent.map(({ path }) => path)).to.deep.equal(['/hooks/whk_1', '/hooks/whk_1']);
  });
});
