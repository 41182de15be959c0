import { defineCommand, type Command } from '../../../../kernel/index.ts';
import { scopeOf, scopeOptions } from './scope.ts';
import { printable } from './show.ts';

interface ShownWindow {
  readonly maintenance_id: string;
  readonly title: string;
  readonly scope: readonly { readonly kind: string; readonly id: string }[];
  readonly starts_at: string;
  readonly ends_at: string;
}

const list: Command = defineCommand({
  path: 'maintenance list',
  summary: 'list maintenance windows that are not over',
  async run(call) {
    const found = await call.client().request<{ readonly windows: readonly ShownWindow[] }>('GET', '/maintenance');
    const lines = found.windows.map(lineOf);
    call.print(found, lines.length === 0 ? 'no maintenance is planned' : lines.join('\n'));
  },
});

const plan: Command = defineCommand({
  path: 'maintenance plan',
  summary: 'plan a maintenance window of at least one subject',
  args: [
    { name: 'title', description: 'for everybody' },
    { name: 'starts_at', description: 'RFC 3339' },
    { name: 'ends_at', description: 'RFC 3339' },
  ],
  options: scopeOptions,
  async run(call) {
    const [title = '', starts_at = '', ends_at = ''] = call.args;
    const body = { title, starts_at, ends_at, scope: scopeOf(call.options) };
    const window = await call.client().request<ShownWindow>('POST', '/maintenance', body);
    call.print(window, lineOf(window));
  },
});

const end: Command = defineCommand({
  path: 'maintenance end',
  summary: 'end a maintenance window, or take back one that has not begun',
  args: [{ name: 'maintenance_id', description: 'mnt_…, as `orb maintenance list` shows it' }],
  async run(call) {
    const maintenance_id = call.args[0] ?? '';
    await call.client().request('DELETE', `/maintenance/${encodeURIComponent(maintenance_id)}`);
    call.print({ maintenance_id, ended: true }, `${maintenance_id} is over`);
  },
});

/** `orb maintenance list|plan|end`. */
export const maintenanceCommands: readonly Command[] = [list, plan, end];

function lineOf({ maintenance_id, title, scope, starts_at, ends_at }: ShownWindow): string {
  const about = scope.map(({ kind, id }) => `${kind} ${id}`).join(', ');
  return [maintenance_id, `${starts_at}–${ends_at}`, about, printable(title)].join('  ');
}
