import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { given, type Command, type CommandCall } from '../../kernel/index.ts';
import { apiCommand, listing, record, type ApiCommand, type Shown, optionsOf } from '../terminal/contract.ts';
import type { NamespaceGrant } from '../ledger/contract.ts';
import type { ListingItem } from './listing/item.ts';
import { signOrb } from './publish/sign-command.ts';

const orbArgument = { name: 'orb_id', description: 'for example notify.email@1.0.0' };
const namespaceArgument = { name: 'namespace', description: 'for example notify' };
const reasonOption = { flag: '--reason <text>', description: 'The reason; public, and recorded in a receipt' };

/** The commands of the marketplace. */
export const marketplaceCommands: readonly Command[] = [
  apiCommand<{ orbs: readonly ListingItem[]; total: number; offset: number }>({
    path: 'marketplace list',
    summary: 'list published Orbs with tier and score',
    options: [
      { flag: '--q <words>', description: 'Search words' },
      { flag: '--tier <tier>', description: 'Exactly this certification tier' },
      { flag: '--namespace <namespace>', description: 'Exactly this namespace' },
      { flag: '--category <category>', description: 'Exactly this category' },
      { flag: '--sort <by>', description: 'score, name, updated, published or runs; default: score' },
      { flag: '--limit <n>', description: '1 to 100; default: 20' },
      { flag: '--offset <n>', description: 'How many to skip; default: 0' },
    ],
    route: 'GET /marketplace/orbs',
    show: ({ orbs }) =>
      listing(
        ['ORB', 'TIER', 'SCORE', 'STATUS', 'DESCRIPTION'],
        orbs.map(({ orb_id, certification_tier, reputation_score, standing, status, description }) => [
          ...[orb_id, standing === 'suspended' ? standing : certification_tier, String(reputation_score ?? '-')],
          ...[status, description],
        ]),
      ),
    hint: ({ orbs, total, offset }) => {
      const last = offset + orbs.length;
      return last < total ? `${last} of ${total}; continue with --offset ${last}` : undefined;
    },
  }),
  apiCommand<ListingItem>({
    path: 'marketplace publish',
    summary: 'publish a version of an Orb',
    args: [orbArgument],
    options: optionsOf({
      '--title <title>': "Default: the manifest's",
      '--description <text>': "1 to 100 characters; default: the manifest's",
      '--readme <file>': 'Markdown, at most 64 KB',
      '--category <category>': "Default: the manifest's capability",
      '--tag <tag>': { description: 'Give it once per tag', repeat: true },
      '--homepage <url>': 'http or https',
      '--license <license>': "Default: the manifest's",
      '--signature <file>': 'Envelope from `orb orbs sign`; default: the file next to the manifest',
      '--allow-confusable-name': 'Allow a name that looks like one of another publisher; needs *',
      '--dry-run': 'Check everything and change nothing',
    }),
    route: 'POST /marketplace/orbs/publish',
    query: { dryRun: 'dry_run' },
    body: publication,
    show: itemText,
    hint: ({ publisher }, { options }) =>
      [
        ...(options['dryRun'] === true ? ['Nothing was changed.'] : []),
        ...(publisher.manifest_signed
          ? []
          : ['The manifest is not signed, so no tier can be reached; see `orb orbs sign`.']),
      ].join('\n') || undefined,
  }),
  status({
    path: 'marketplace deprecate',
    summary: 'deprecate a published version, or undo that',
    options: [
      reasonOption,
      { flag: '--replacement <orb_id>', description: 'The Orb to use instead' },
      { flag: '--undo', description: 'Make it active again' },
    ],
    body: ({ options: { undo, reason, replacement } }) =>
      given({ status: undo === true ? 'active' : 'deprecated', reason, replacement }),
  }),
  status({
    path: 'marketplace yank',
    summary: 'remove a published version from the marketplace permanently',
    confirm: 'the version is withdrawn permanently',
    options: [reasonOption],
    body: ({ options: { reason } }) => given({ status: 'yanked', reason }),
  }),
  apiCommand<{ namespaces: readonly NamespaceGrant[] }>({
    path: 'namespaces list',
    summary: 'list namespaces with their owners and manifest keys',
    route: 'GET /namespaces',
    show: ({ namespaces }) =>
      listing(
        ['NAMESPACE', 'STATE', 'TENANT', 'PRINCIPAL', 'MANIFEST KEY'],
        namespaces.map(({ namespace, state, owner, manifest_key }) => [
          ...[namespace, state, owner.tenant, owner.principal ?? '-', manifest_key?.x ?? '-'],
        ]),
      ),
  }),
  apiCommand<NamespaceGrant>({
    path: 'namespaces grant',
    summary: 'grant a namespace, or change its owner or manifest key',
    args: [namespaceArgument],
    options: [
      { flag: '--owner <principal>', description: 'prn_…; default: unchanged, for a new grant yourself' },
      { flag: '--tenant <tenant>', description: "Default: the owner's" },
      { flag: '--manifest-key <key>', description: 'Public key, as `orb orbs sign` prints it; default: unchanged' },
    ],
    route: 'POST /namespaces',
    body: ({ args: [namespace = ''], options: { owner, tenant, manifestKey } }) =>
      given({
        namespace,
        owner: owner === undefined && tenant === undefined ? undefined : given({ tenant, principal: owner }),
        manifest_key: manifestKey === undefined ? undefined : { kty: 'OKP', crv: 'Ed25519', x: manifestKey },
      }),
    show: ({ namespace, owner, manifest_key }) => {
      const key = manifest_key === undefined ? 'without a manifest key' : `manifest key ${manifest_key.x}`;
      return `${namespace} belongs to ${owner.principal ?? 'anyone'} of tenant ${owner.tenant}, ${key}`;
    },
  }),
  apiCommand<NamespaceGrant>({
    path: 'namespaces revoke',
    summary: 'revoke a namespace; its Orbs are suspended until it is granted again',
    args: [namespaceArgument],
    options: [{ flag: '--reason <text>', description: 'The reason; recorded in a receipt' }],
    route: 'DELETE /namespaces/{namespace}',
    show: ({ namespace }) => `${namespace} is revoked`,
  }),
  signOrb,
];

function status(row: Pick<ApiCommand<ListingItem>, 'path' | 'summary' | 'confirm' | 'options' | 'body'>): Command {
  return apiCommand<ListingItem>({
    ...row,
    args: [orbArgument],
    route: 'PATCH /marketplace/orbs/{orb_id}/status',
    show: ({ orb_id, status: now }) => `${orb_id} is ${now}`,
  });
}

function publication({ args: [orb_id = ''], options }: CommandCall): object {
  const { title, description, readme, category, tag, homepage, license, signature } = options;
  const text = typeof readme === 'string' ? readText(readme) : undefined;
  const described = given({ title, description, readme: text, category, tags: tag, homepage, license });
  return given({
    orb_id,
    listing: Object.keys(described).length === 0 ? undefined : described,
    signature: typeof signature === 'string' ? (JSON.parse(readText(signature)) as unknown) : undefined,
    allow_confusable_name: options['allowConfusableName'],
  });
}

function readText(file: string): string {
  return readFileSync(resolve(file), 'utf8');
}

function itemText(item: ListingItem): Shown {
  return record([
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
