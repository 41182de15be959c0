import { defineCommand, type Command, type CommandCall } from '../../../kernel/index.ts';
import type { ListingItem } from '../listing/item.ts';

const args = [{ name: 'orb_id', description: 'such as notify.email@1.0.0' }] as const;
const reason = { flag: '--reason <text>', description: 'Why; shown to everybody, and attested' } as const;

/** `orb marketplace deprecate`: says that something else should be used, or, with --undo, takes it back. */
export const deprecateOrb: Command = defineCommand({
  path: 'marketplace deprecate',
  summary: 'deprecate a published version, or take that back',
  args,
  options: [
    reason,
    { flag: '--replacement <orb_id>', description: 'The Orb to use instead' },
    { flag: '--undo', description: 'Makes it active again' },
  ],
  run: (call) => change(call, call.options['undo'] === true ? 'active' : 'deprecated'),
});

/** `orb marketplace yank`: takes a version off both lists, for good. */
export const yankOrb: Command = defineCommand({
  path: 'marketplace yank',
  summary: 'take a published version off the marketplace for good',
  args,
  options: [reason],
  run: (call) => change(call, 'yanked'),
});

async function change(call: CommandCall, status: string): Promise<void> {
  const { args: given, options } = call;
  const path = `/marketplace/orbs/${encodeURIComponent(given[0] ?? '')}/status`;
  const { replacement } = options;
  const item = await call.client().request<ListingItem>('PATCH', path, {
    status,
    ...(options['reason'] === undefined ? {} : { reason: options['reason'] }),
    ...(replacement === undefined ? {} : { replacement }),
  });
  call.print(item, `${item.orb_id} is ${item.status}`);
}
