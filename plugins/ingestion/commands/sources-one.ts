import { defineCommand, table, type Command } from '../../../kernel/index.ts';
import { setupText, type ShownSetup, type ShownSource } from './shown.ts';

const sourceArg = [{ name: 'source_id', description: 'src_…, see: orb sources list' }];

interface ShownHealth {
  readonly status: string;
  readonly last_delivery_at?: string;
  readonly queued: number;
  readonly dead: number;
  readonly rejected: { readonly count: number };
}

/** `orb sources show`: prints one source and how it is. */
export const showSource: Command = defineCommand({
  path: 'sources show',
  summary: 'show a source and its health',
  args: sourceArg,
  async run(call) {
    const path = `/sources/${encodeURIComponent(call.args[0] ?? '')}`;
    const source = await call.client().request<ShownSource>('GET', path);
    const health = await call.client().request<ShownHealth>('GET', `${path}/health`);
    const rows = [
      ['name', source.name],
      ['vendor', source.vendor],
      ['scheme', source.auth.scheme],
      ['may name', Object.values(source.may_name).flat().join(' ') || 'nothing'],
      ['status', health.status],
      ['last delivery', health.last_delivery_at ?? 'never'],
      ['queued', String(health.queued)],
      ['dead letters', String(health.dead)],
      ['rejected', String(health.rejected.count)],
      ...source.secrets.map(({ version, not_after = 'no end', last_used_at = 'never' }) => [
        `secret ${version}`,
        `until ${not_after}, last used ${last_used_at}`,
      ]),
    ];
    call.print({ source, health }, table(rows));
  },
});

/** `orb sources setup`: prints what to enter at the vendor. */
export const setupSource: Command = defineCommand({
  path: 'sources setup',
  summary: 'show what to enter at the vendor',
  args: sourceArg,
  async run(call) {
    const path = `/sources/${encodeURIComponent(call.args[0] ?? '')}/setup`;
    const setup = await call.client().request<ShownSetup>('GET', path);
    call.print(setup, setupText(setup));
  },
});

/** `orb sources test`: sends the vendor's example through the front door. */
export const testSource: Command = defineCommand({
  path: 'sources test',
  summary: 'send a signed test delivery through the front door',
  args: sourceArg,
  async run(call) {
    const path = `/sources/${encodeURIComponent(call.args[0] ?? '')}/test`;
    const sent = await call.client().request<{ readonly delivery_id: string; readonly status: string }>('POST', path);
    call.print(sent, `${sent.delivery_id} ${sent.status}`);
  },
});

/** `orb sources delete`: removes a source and its secrets. */
export const deleteSource: Command = defineCommand({
  path: 'sources delete',
  summary: 'remove a source and its secrets; its deliveries stay',
  args: sourceArg,
  async run(call) {
    const id = call.args[0] ?? '';
    await call.client().request('DELETE', `/sources/${encodeURIComponent(id)}`);
    call.print({ source_id: id, deleted: true }, `deleted ${id}`);
  },
});
