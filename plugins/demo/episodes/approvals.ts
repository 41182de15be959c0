import { execute } from '../execute.ts';
import { draft, faultyPolicy, policies } from '../settings.ts';
import type { CallerName } from '../cast.ts';
import type { Stage } from '../stage.ts';
import { atBegin, daysBefore, minutesBefore, type Episode } from './episode.ts';

interface Approval {
  readonly approval_id: string;
  readonly digest: string;
}

const mail = (to: string, subject: string): object => ({
  orb_id: 'notify.email@1.0.0',
  inputs: { to, from_address: 'office@example.com', subject, body: 'This message is part of a demonstration.' },
});

const crowd = ['ada', 'ben', 'clara', 'david', 'emma', 'felix', 'greta']
  .map((name) => `${name}@example.com`)
  .join(', ');

/** Policies of the operator, what they deny, and the runs that they ask people about. It takes a policy compiler. */
export function approvalEpisodes(stage: Stage): readonly Episode[] {
  const { api, home, keys } = stage;
  const at = (days: number, clock: string, work: Episode['work']): Episode => daysBefore(stage, days, clock, work);
  const send = (caller: CallerName, to: string, subject: string) => async (): Promise<void> =>
    void (await execute(stage, { caller }, mail(to, subject)));
  const activate = async (id: string): Promise<void> => {
    await api('PUT', `/policies/${id}`, { body: { source: policies[id], message: `Add ${id}` } });
    await api('POST', '/policies/-/activate', { body: { drafts: [id], message: `Add ${id}` } });
  };
  const decide = (by: CallerName, decision: 'approve' | 'refuse', comment: string) => async (): Promise<void> => {
    const { approvals } = await api<{ readonly approvals: readonly Approval[] }>(
      'GET',
      '/approvals?state=open&limit=1',
    );
    const [open] = approvals;
    const body = { decision, digest: open?.digest, comment };
    await api('POST', `/approvals/${open?.approval_id}/decision`, { key: keys[by].key, body });
  };
  return [
    atBegin(stage, 40, () => activate('no_bulk_mail')),
    atBegin(stage, 50, () => activate('outside_mail')),
    ...[18, 13, 8, 4, 1].map((days) => at(days, '15:20', send('support', crowd, 'A letter to all'))),
    ...[11, 3].map((days) => at(days, '15:25', send('webshop', crowd, 'A letter to all'))),
    at(9, '11:05', send('billing', 'accounts@example.net', 'Invoices of the last month')),
    at(9, '11:31', decide('ada', 'approve', 'This is our tax advisor.')),
    at(6, '17:45', send('assistant', 'stranger@example.org.invalid', 'The list of all customers')),
    at(6, '18:02', decide('grace', 'refuse', 'Nobody outside gets this list.')),
    minutesBefore(stage, 50, send('billing', 'accounts@example.net', 'Invoices of this month')),
    minutesBefore(stage, 20, send('assistant', 'partner@example.net', 'An offer to a partner')),
    minutesBefore(stage, 15, async () => {
      await api('PUT', '/policies/no_night_texts', { body: draft });
      home.write('policies/no_morning_texts.rego', faultyPolicy);
    }),
  ];
}
