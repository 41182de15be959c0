import { defineCommand, table, type Command } from '../../../kernel/index.ts';

interface Shown {
  readonly delivery_id: string;
  readonly vendor: string;
  readonly received_at: string;
  readonly state: string;
  readonly reason?: string;
  readonly auth_strength: string;
  readonly signals: number;
  readonly duplicates: number;
}

/** `orb deliveries list`: prints the newest deliveries. */
export const listDeliveries: Command = defineCommand({
  path: 'deliveries list',
  summary: 'list the newest deliveries; --state dead: the dead letters',
  options: [
    { flag: '--source <id>', description: 'Of one source' },
    { flag: '--state <state>', description: 'queued, done, ignored or dead' },
    { flag: '--reason <reason>', description: 'Why they are dead or ignored' },
    { flag: '--limit <n>', description: 'At most 100', default: '20' },
  ],
  async run(call) {
    const { source, state, reason, limit } = call.options;
    const asked = Object.entries({ source_id: source, state, reason, limit }).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    );
    const path = `/deliveries?${new URLSearchParams(asked).toString()}`;
    const page = await call.client().request<{ readonly deliveries: readonly Shown[] }>('GET', path);
    const rows = page.deliveries.map((one) => [
      ...[one.delivery_id, one.vendor, one.received_at, one.state, one.reason ?? '', one.auth_strength],
      ...[String(one.signals), String(one.duplicates)],
    ]);
    const head = ['DELIVERY_ID', 'VENDOR', 'RECEIVED', 'STATE', 'REASON', 'AUTH', 'SIGNALS', 'DUPLICATES'];
    call.print(page, table([head, ...rows]));
  },
});
