import { defineCommand, type Command } from '../../../../kernel/index.ts';
import { lineOf, pageOf, type ShownIncident } from './show.ts';

interface Page {
  readonly incidents: readonly ShownIncident[];
  readonly next_cursor?: string;
}

/** `orb incidents list`: prints incidents, newest first. */
export const listIncidents: Command = defineCommand({
  path: 'incidents list',
  summary: 'list incidents, newest first',
  options: [
    { flag: '--state <state>', description: 'open, acknowledged, resolved or unresolved' },
    { flag: '--severity <severity>', description: 'critical, high, warning or info' },
    { flag: '--component <name>', description: 'those of a component' },
    { flag: '--provider <name>', description: 'those of a provider' },
    { flag: '--orb <orb_id>', description: 'those of an Orb' },
    { flag: '--limit <n>', description: 'at most so many', default: '20' },
  ],
  async run(call) {
    const { options } = call;
    const names = { state: 'state', severity: 'severity', component: 'component', provider: 'provider', orb: 'orb_id' };
    const query = new URLSearchParams({ limit: String(options['limit']) });
    for (const [option, name] of Object.entries(names)) {
      const value = options[option];
      if (typeof value === 'string') query.set(name, value);
    }
    const page = await call.client().request<Page>('GET', `/incidents?${query.toString()}`);
    const lines = page.incidents.map(lineOf);
    call.print(page, lines.length === 0 ? 'no incidents' : lines.join('\n'));
    if (page.next_cursor !== undefined) call.note('there are more; narrow the list or raise --limit');
  },
});

/** `orb incidents show`: prints one incident with its changes and notes. */
export const showIncident: Command = defineCommand({
  path: 'incidents show',
  summary: 'show an incident with its changes and notes',
  args: [{ name: 'incident_id', description: 'inc_…, as `orb incidents list` shows it' }],
  async run(call) {
    const path = `/incidents/${encodeURIComponent(call.args[0] ?? '')}`;
    const incident = await call.client().request<ShownIncident>('GET', path);
    call.print(incident, pageOf(incident));
  },
});
