import { defineCommand } from '../../../kernel/index.ts';
import { trustOptions } from '../verifier/trust-store/pinned-trust.ts';

/** `orb log fsck [source]`: rebuilds every log from its entries and reports differences from the signed data. */
export const fsckCommand = defineCommand({
  path: 'log fsck',
  summary: 'check all logs of a store, an export or a server against their signed checkpoints',
  args: [
    {
      name: 'source',
      description:
        'a URL, for example https://orb.example/log, or the folder of an export (default: the store of the state dir)',
      optional: true,
    },
  ],
  options: [
    ...trustOptions,
    { flag: '--allow-revoked', description: 'do not report receipts that are not valid because their key was revoked' },
  ],
  run: async (call) => (await import('../fsck/fsck.ts')).fsck(call),
});
