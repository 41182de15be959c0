import { defineCommand, given, type Command, type Infer } from '../../../kernel/index.ts';
import { apiCommand, fileOption, listing, record, table, optionsOf } from '../../terminal/contract.ts';
import type { deliveryPage } from '../deliveries/delivery.ts';
import type { sourceHealth } from './health.ts';
import type { setupSchema } from './scope.ts';
import type { sourceSchema } from '../sources/settings/schema.ts';

type Source = Infer<typeof sourceSchema> & { readonly auth: { readonly scheme?: string } };
type Setup = Infer<typeof setupSchema>;
type Secret = Source['secrets'][number];

const args = [{ name: 'source_id', description: 'src_…, see: orb sources list' }];
const ofSource = { flag: '--source <id>', description: 'Of one source' };
const ofReason = { flag: '--reason <reason>', description: 'Why they are dead or ignored' };

/** All commands of sources and deliveries. */
export const ingestionCommands: readonly Command[] = [
  apiCommand<{ source: Source; url: string; secret?: string; setup: Setup }>({
    path: 'sources create',
    summary: 'create a source of webhooks; print its address and secret once',
    args: [
      { name: 'vendor', description: 'datadog, pagerduty, sentry, grafana, alertmanager, github, …' },
      { name: 'name', description: 'Name of the source' },
    ],
    options: optionsOf({
      '--scheme <scheme>': 'signature, header, bearer, basic or url; default: the strongest that the vendor supports',
      '--secret-file <file>': "The vendor's own secret; default: a new one is created",
      '--may-name-orb <orb>': { description: 'An Orb that its deliveries can report on, exact or ns.*', repeat: true },
      '--may-name-provider <name>': { description: 'A provider that its deliveries can report on', repeat: true },
      '--may-name-component <name>': { description: 'A component that its deliveries can report on', repeat: true },
      '--component <name>': 'The component for alerts that match no other subject',
      '--hold <span>': {
        description: 'How long an alert must be quiet before its incident closes: 5m, or seconds',
        time: 's',
      },
      '--impact <severity=word>': {
        description: 'Status on /status for a severity: critical=major_outage',
        repeat: true,
      },
    }),
    route: 'POST /sources',
    body: ({ args: [vendor, name], options }) => {
      const { scheme, secretFile, component, mayNameOrb = [], mayNameProvider = [], mayNameComponent = [] } = options;
      return given({
        vendor,
        name,
        may_name: { orbs: mayNameOrb, providers: mayNameProvider, components: mayNameComponent },
        auth: scheme === undefined ? undefined : { scheme },
        default_component: component,
        policy: policyOf(options),
        secret: fileOption(secretFile),
      });
    },
    show: ({ source, url, secret, setup }) =>
      `${table([
        ['source_id', source.source_id],
        ['url', url],
        ...(secret === undefined ? [] : [['secret', secret]]),
      ])}\n\n${setupText(setup)}`,
    hint: () => 'Keep address and secret now: they are not shown again.',
  }),
  apiCommand<{ sources: readonly Source[] }>({
    path: 'sources list',
    summary: 'list sources of webhooks',
    route: 'GET /sources',
    whole: 'sources',
    show: ({ sources }) =>
      listing(
        ['SOURCE_ID', 'VENDOR', 'NAME', 'SCHEME', 'SECRETS', 'STATE', 'SECRET USED'],
        sources.map(({ source_id, vendor, name, auth, paused, secrets }) => [
          ...[source_id, vendor, name, auth.scheme ?? '', String(secrets.length), paused ? 'paused' : 'active'],
          lastUse(secrets),
        ]),
      ),
  }),
  defineCommand({
    path: 'sources show',
    summary: 'show a source and its health',
    args,
    async run(call) {
      const path = `/sources/${encodeURIComponent(call.args[0] ?? '')}`;
      const source = await call.client().request<Source>('GET', path);
      const health = await call.client().request<Infer<typeof sourceHealth>>('GET', `${path}/health`);
      const rows = [
        ['name', source.name],
        ['vendor', source.vendor],
        ['scheme', source.auth.scheme ?? ''],
        ['may name', Object.values(source.may_name).flat().join(' ') || 'nothing'],
        ...Object.entries(source.policy.impacts ?? {}).map(([severity, word]) => [`${severity} is shown as`, word]),
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
      call.print({ source, health }, record(rows).on(call.screen));
    },
  }),
  apiCommand<{ readonly vendors: readonly { readonly vendor: string; readonly schemes: readonly string[] }[] }>({
    path: 'sources vendors',
    summary: 'list the vendors that a source can be of',
    route: 'GET /sources/vendors',
    show: ({ vendors }) =>
      listing(
        ['VENDOR', 'SCHEMES'],
        vendors.map(({ vendor, schemes }) => [vendor, schemes.join(' ')]),
      ),
  }),
  apiCommand<Setup>({
    path: 'sources setup',
    summary: 'show what to enter at the vendor',
    args,
    route: 'GET /sources/{source_id}/setup',
    show: setupText,
  }),
  apiCommand<{ delivery_id: string; status: string }>({
    path: 'sources test',
    summary: 'send a signed test delivery through the front door',
    args,
    route: 'POST /sources/{source_id}/test',
    show: ({ delivery_id, status }) => `${delivery_id} ${status}`,
  }),
  apiCommand<{ version: number; secret?: string }>({
    path: 'sources add-secret',
    summary: 'add a secret; the others stay valid until they are removed or the overlap ends',
    args,
    options: optionsOf({
      '--file <file>': "The vendor's own secret; default: a new one is created and printed once",
      '--overlap <span>': {
        description: 'How long the others stay valid: 1d, or seconds; default: until they are removed',
        time: 's',
      },
    }),
    route: 'POST /sources/{source_id}/secrets',
    body: ({ options: { file, overlap } }) =>
      given({ secret: fileOption(file), retire_others_after_s: overlap === undefined ? undefined : Number(overlap) }),
    show: ({ version, secret }) => `secret ${version}${secret === undefined ? '' : `  ${secret}`}`,
  }),
  apiCommand({
    path: 'sources remove-secret',
    summary: 'remove a secret; the last one stays',
    confirm: 'deliveries signed with the secret are refused',
    args: [...args, { name: 'version', description: 'Number of the secret' }],
    route: 'DELETE /sources/{source_id}/secrets/{version}',
    value: ({ args: [source_id, version] }) => ({ source_id, version: Number(version), removed: true }),
    show: (_, { args: [id = '', version = ''] }) => `removed secret ${version} of ${id}`,
  }),
  apiCommand({
    path: 'sources delete',
    summary: 'remove a source and its secrets; its deliveries stay',
    confirm: 'the source and its secrets are deleted',
    args,
    route: 'DELETE /sources/{source_id}',
    value: ({ args: [source_id] }) => ({ source_id, deleted: true }),
    show: (_, { args: [id = ''] }) => `deleted ${id}`,
  }),
  apiCommand<Infer<typeof deliveryPage>>({
    path: 'deliveries list',
    summary: 'list the newest deliveries; --state dead: the dead letters',
    options: [
      ofSource,
      { flag: '--state <state>', description: 'queued, done, ignored or dead' },
      ofReason,
      { flag: '--limit <n>', description: 'At most 100', default: '20' },
    ],
    route: 'GET /deliveries',
    query: { source: 'source_id' },
    show: ({ deliveries }) =>
      listing(
        ['DELIVERY_ID', 'VENDOR', 'RECEIVED', 'STATE', 'REASON', 'AUTH', 'SIGNALS', 'DUPLICATES'],
        deliveries.map(({ delivery_id, vendor, received_at, state, reason = '', ...one }) => [
          ...[delivery_id, vendor, received_at, state, reason],
          ...[one.auth_strength, String(one.signals), String(one.duplicates)],
        ]),
      ),
  }),
  defineCommand({
    path: 'deliveries replay',
    summary: 'process stored deliveries again: one by id, or all that match the options',
    args: [{ name: 'delivery_id', description: 'dlv_…; absent: by the options', optional: true }],
    options: [
      ofSource,
      { flag: '--state <state>', description: 'done, ignored or dead; default: dead' },
      ofReason,
      { flag: '--dry-run', description: 'Shows what would change, or counts, and changes nothing' },
    ],
    async run(call) {
      const { source, state = 'dead', reason, dryRun } = call.options;
      const [id] = call.args;
      const client = call.client();
      if (id !== undefined) {
        const path = `/deliveries/${encodeURIComponent(id)}`;
        const answer = await (dryRun === true
          ? client.request('GET', `${path}/preview`)
          : client.request('POST', `${path}/replay`));
        call.print(answer, JSON.stringify(answer, null, 2));
        return;
      }
      const body = given({ source_id: source, state, reason, dry_run: dryRun === true });
      const answer = await client.request<{ matched: number; queued: number }>('POST', '/deliveries/replay', body);
      call.print(answer, `${answer.matched} fit, ${answer.queued} queued`);
    },
  }),
];

function policyOf({ hold, impact }: Readonly<Record<string, unknown>>): object | undefined {
  if (hold === undefined && impact === undefined) return undefined;
  const words: readonly unknown[] = Array.isArray(impact) ? impact : [];
  const impacts = new Map(words.map((pair) => String(pair).split('=')).map(([name = '', word = '']) => [name, word]));
  return given({
    hold_s: hold === undefined ? undefined : Number(hold),
    impacts: impacts.size === 0 ? undefined : Object.fromEntries(impacts),
  });
}

function setupText({ steps, snippets }: Setup): string {
  const list = steps.map((step, index) => `${index + 1}. ${step}`);
  return [...list, ...snippets.flatMap(({ title, text }) => ['', `${title}:`, text])].join('\n');
}

function lastUse(secrets: readonly Secret[]): string {
  const times = secrets.map(({ last_used_at = '' }) => last_used_at).sort();
  return times.at(-1) || 'never';
}
