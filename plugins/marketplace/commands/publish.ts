import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand, table, type Command, type CommandCall } from '../../../kernel/index.ts';
import type { ListingItem } from '../listing/item.ts';

/** `orb marketplace publish`: publishes a version of an Orb. */
export const publishOrb: Command = defineCommand({
  path: 'marketplace publish',
  summary: 'publish a version of an Orb',
  args: [{ name: 'orb_id', description: 'such as notify.email@1.0.0' }],
  options: [
    { flag: '--title <title>', description: "Default: the manifest's" },
    { flag: '--description <text>', description: "1 to 100 characters; default: the manifest's" },
    { flag: '--readme <file>', description: 'Markdown, at most 64 KB' },
    { flag: '--category <category>', description: "Default: the manifest's capability" },
    { flag: '--tag <tag>', description: 'Give it once per tag', repeat: true },
    { flag: '--homepage <url>', description: 'http or https' },
    { flag: '--license <license>', description: "Default: the manifest's" },
    { flag: '--signature <file>', description: 'Envelope by `orb orbs sign`; default: the one beside the manifest' },
    { flag: '--allow-confusable-name', description: "Lets a name stand that could be taken for another's; needs *" },
    { flag: '--dry-run', description: 'Checks everything and changes nothing' },
  ],
  async run(call) {
    const dry = call.options['dryRun'] === true;
    const path = `/marketplace/orbs/publish${dry ? '?dry_run=true' : ''}`;
    const item = await call.client().request<ListingItem>('POST', path, bodyOf(call));
    call.print(item, show(item));
    if (dry) call.note('Nothing was changed.');
    if (!item.publisher.manifest_signed)
      call.note('The manifest is not signed, so no tier can be reached; see `orb orbs sign`.');
  },
});

function bodyOf({ args: [orb_id = ''], options }: CommandCall): object {
  const { title, description, readme, category, tag, homepage, license, signature } = options;
  const listing = defined({
    title,
    description,
    readme: typeof readme === 'string' ? readText(readme) : undefined,
    category,
    tags: tag,
    homepage,
    license,
  });
  return {
    orb_id,
    ...(Object.keys(listing).length === 0 ? {} : { listing }),
    ...(typeof signature === 'string' ? { signature: JSON.parse(readText(signature)) as unknown } : {}),
    ...(options['allowConfusableName'] === true ? { allow_confusable_name: true } : {}),
  };
}

// Absent options stay absent: the server's defaults and checks are the only ones.
function defined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function readText(file: string): string {
  return readFileSync(resolve(file), 'utf8');
}

function show(item: ListingItem): string {
  return table([
    ['orb', item.orb_id],
    ['title', item.title],
    ['description', item.description],
    ['status', item.status],
    ['manifest', item.manifest_digest],
    ['signed', item.publisher.manifest_signed ? 'yes' : 'no'],
    ['tier', item.certification_tier],
    ['score', String(item.reputation_score ?? 'unscored')],
  ]);
}
