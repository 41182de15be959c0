import { defineCommand } from '../../../../kernel/index.ts';

/** `orb certificate get <orb_id>`: prints the newest certificate of an Orb; save it, and verify it offline. */
export const getCommand = defineCommand({
  path: 'certificate get',
  summary: 'print the newest certificate of an Orb, whatever its status, as JSON',
  args: [{ name: 'orb_id', description: '`notify.email@1.0.0`' }],
  options: [{ flag: '--format <form>', description: 'vc: the Verifiable Credential alone', default: 'json' }],
  async run({ args: [orbId = ''], client, options, print }) {
    const query = options['format'] === 'json' ? '' : `?format=${encodeURIComponent(String(options['format']))}`;
    const answer = await client().request('GET', `/reputation/${encodeURIComponent(orbId)}/certificate${query}`);
    print(answer, JSON.stringify(answer, undefined, 2));
  },
});
