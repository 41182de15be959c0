import { defineCommand } from './command.ts';

interface OrbSummary {
  readonly orb_id: string;
  readonly title: string;
  readonly effect: string;
}

/** `orb orbs list`: lists the Orbs of the server. */
export const orbsList = defineCommand({
  path: 'orbs list',
  summary: 'list the Orbs of the installation',
  async run({ client, print }) {
    const answer = await client().request<{ orbs: readonly OrbSummary[] }>('GET', '/orbs');
    const width = Math.max(...answer.orbs.map(({ orb_id }) => orb_id.length));
    print(
      answer,
      answer.orbs
        .map(({ orb_id, effect, title }) => `${orb_id.padEnd(width)}  ${effect.padEnd(12)}  ${title}`)
        .join('\n'),
    );
  },
});

/** `orb orbs show`: shows an Orb's manifest. */
export const orbsShow = defineCommand({
  path: 'orbs show',
  summary: 'show an Orb with its schemas',
  args: [{ name: 'orb_id', description: 'such as notify.email@1.0.0' }],
  async run({ args: [orbId = ''], client, print }) {
    const orb = await client().request('GET', `/orbs/${encodeURIComponent(orbId)}`);
    print(orb, JSON.stringify(orb, null, 2));
  },
});
