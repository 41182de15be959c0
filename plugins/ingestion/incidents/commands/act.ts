import { defineCommand, type Command } from '../../../../kernel/index.ts';
import { lineOf, type ShownIncident } from './show.ts';

const args = [{ name: 'incident_id', description: 'inc_…, as `orb incidents list` shows it' }] as const;

const acknowledge: Command = defineCommand({
  path: 'incidents acknowledge',
  summary: 'take an incident up; its downtime goes on',
  args,
  async run(call) {
    const path = `/incidents/${encodeURIComponent(call.args[0] ?? '')}/acknowledge`;
    const incident = await call.client().request<ShownIncident>('POST', path, {});
    call.print(incident, lineOf(incident));
  },
});

const reasoned = [
  ['resolve', 'close an incident; the next firing opens anew'],
  ['retract', 'mark an incident as a false positive'],
] as const;

const reasonedCommands: readonly Command[] = reasoned.map(([verb, summary]) =>
  defineCommand({
    path: `incidents ${verb}`,
    summary,
    args: [...args, { name: 'reason', description: 'why; attested, and stays visible' }],
    async run(call) {
      const path = `/incidents/${encodeURIComponent(call.args[0] ?? '')}/${verb}`;
      const incident = await call.client().request<ShownIncident>('POST', path, { reason: call.args[1] ?? '' });
      call.print(incident, lineOf(incident));
    },
  }),
);

const note: Command = defineCommand({
  path: 'incidents note',
  summary: 'write on an incident',
  args: [...args, { name: 'text', description: 'what to say' }],
  options: [
    { flag: '--public', description: 'for everybody, on /status' },
    { flag: '--phase <phase>', description: 'investigating, identified or monitoring; of a public note' },
  ],
  async run(call) {
    const { public: everybody, phase } = call.options;
    const path = `/incidents/${encodeURIComponent(call.args[0] ?? '')}/notes`;
    const incident = await call.client().request<ShownIncident>('POST', path, {
      text: call.args[1] ?? '',
      public: everybody === true,
      ...(typeof phase === 'string' ? { phase } : {}),
    });
    call.print(incident, lineOf(incident));
  },
});

/** `orb incidents acknowledge|resolve|retract|note`. */
export const actCommands: readonly Command[] = [acknowledge, ...reasonedCommands, note];
