import { defineCommand, type Client, type Command } from '../../../kernel/index.ts';

/** `orb deliveries replay`: reads stored deliveries anew, one by id or all that fit. */
export const replayDeliveries: Command = defineCommand({
  path: 'deliveries replay',
  summary: 'read stored deliveries anew: one by id, or those that fit the options',
  args: [{ name: 'delivery_id', description: 'dlv_…; absent: by the options', optional: true }],
  options: [
    { flag: '--source <id>', description: 'Of one source' },
    { flag: '--state <state>', description: 'done, ignored or dead; default: dead' },
    { flag: '--reason <reason>', description: 'Why they are dead or ignored' },
    { flag: '--dry-run', description: 'Shows what would change, or counts, and changes nothing' },
  ],
  async run(call) {
    const { source, state = 'dead', reason, dryRun } = call.options;
    const [id] = call.args;
    const dry = dryRun === true;
    if (id !== undefined) {
      const answer = await one(call.client(), id, dry);
      call.print(answer, JSON.stringify(answer, null, 2));
      return;
    }
    const wanted = { source_id: source, state, reason };
    const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const body = { ...given, dry_run: dry };
    const answer = await call
      .client()
      .request<{ readonly matched: number; readonly queued: number }>('POST', '/deliveries/replay', body);
    call.print(answer, `${answer.matched} fit, ${answer.queued} queued`);
  },
});

function one(client: Client, id: string, dry: boolean): Promise<object> {
  const path = `/deliveries/${encodeURIComponent(id)}`;
  return dry ? client.request<object>('GET', `${path}/preview`) : client.request<object>('POST', `${path}/replay`);
}
