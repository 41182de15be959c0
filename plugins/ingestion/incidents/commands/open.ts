import { defineCommand, type Command } from '../../../../kernel/index.ts';
import { scopeOf, scopeOptions } from './scope.ts';
import { lineOf, type ShownIncident } from './show.ts';

/** `orb incidents open`: opens an incident of the operator's own. */
export const openIncident: Command = defineCommand({
  path: 'incidents open',
  summary: 'open an incident of your own',
  args: [{ name: 'title', description: 'what happens, in a few words' }],
  options: [
    ...scopeOptions,
    { flag: '--severity <severity>', description: 'critical, high, warning or info', default: 'high' },
    { flag: '--starts-at <time>', description: 'RFC 3339; now unless given' },
  ],
  async run(call) {
    const { severity, startsAt } = call.options;
    const body = {
      title: call.args[0] ?? '',
      severity,
      scope: scopeOf(call.options),
      ...(typeof startsAt === 'string' ? { starts_at: startsAt } : {}),
    };
    const incident = await call.client().request<ShownIncident>('POST', '/incidents', body);
    call.print(incident, lineOf(incident));
  },
});
