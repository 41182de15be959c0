import { defineCommand, table, type Command } from '../../../kernel/index.ts';
import type { ListingItem } from '../listing/item.ts';

interface Page {
  readonly orbs: readonly ListingItem[];
  readonly total: number;
  readonly offset: number;
}

const filters = ['q', 'tier', 'namespace', 'category', 'sort', 'limit', 'offset'] as const;

/** `orb marketplace list`: prints published Orbs, one row per version. */
export const listMarketplace: Command = defineCommand({
  path: 'marketplace list',
  summary: 'list published Orbs with tier and score',
  options: [
    { flag: '--q <words>', description: 'Words to look for' },
    { flag: '--tier <tier>', description: 'Exactly this certification tier' },
    { flag: '--namespace <namespace>', description: 'Exactly this namespace' },
    { flag: '--category <category>', description: 'Exactly this category' },
    { flag: '--sort <by>', description: 'score, name, updated, published or runs; default: score' },
    { flag: '--limit <n>', description: '1 to 100; default: 20' },
    { flag: '--offset <n>', description: 'How many to skip; default: 0' },
  ],
  async run(call) {
    const given = filters.flatMap((name) => {
      const value = call.options[name];
      return typeof value === 'string' ? [`${name}=${encodeURIComponent(value)}`] : [];
    });
    const query = given.length === 0 ? '' : `?${given.join('&')}`;
    const page = await call.client().request<Page>('GET', `/marketplace/orbs${query}`);
    call.print(page, show(page));
    const last = page.offset + page.orbs.length;
    if (last < page.total) call.note(`${last} of ${page.total}; go on with --offset ${last}`);
  },
});

function show({ orbs }: Page): string {
  return table([['ORB', 'TIER', 'SCORE', 'STATUS', 'DESCRIPTION'], ...orbs.map(row)]);
}

function row({ orb_id, certification_tier, reputation_score, standing, status, description }: ListingItem): string[] {
  const tier = standing === 'suspended' ? standing : certification_tier;
  return [orb_id, tier, String(reputation_score ?? '-'), status, description];
}
