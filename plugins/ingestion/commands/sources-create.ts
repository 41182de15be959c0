import { readFileSync } from 'node:fs';
import { defineCommand, table, type Command, type CommandCall } from '../../../kernel/index.ts';
import { setupText, type ShownSetup, type ShownSource } from './shown.ts';

interface Created {
  readonly source: ShownSource;
  readonly url: string;
  readonly secret?: string;
  readonly setup: ShownSetup;
}

/** `orb sources create`: makes a source and prints its address and secret once. */
export const createSource: Command = defineCommand({
  path: 'sources create',
  summary: 'create a source of webhooks; print its address and secret once',
  args: [
    { name: 'vendor', description: 'datadog, pagerduty, sentry, grafana, alertmanager, github, …' },
    { name: 'name', description: 'What people call it' },
  ],
  options: [
    {
      flag: '--scheme <scheme>',
      description: 'signature, header, bearer, basic or url; default: the best of the vendor',
    },
    { flag: '--secret-file <file>', description: "The vendor's own secret; default: one is made" },
    { flag: '--may-name-orb <orb>', description: 'An Orb its deliveries may name, exact or ns.*', repeat: true },
    { flag: '--may-name-provider <name>', description: 'A provider its deliveries may name', repeat: true },
    { flag: '--may-name-component <name>', description: 'A component its deliveries may name', repeat: true },
    { flag: '--component <name>', description: 'Where an alert goes that maps to nothing else' },
  ],
  async run(call) {
    const created = await call.client().request<Created>('POST', '/sources', bodyOf(call));
    const { source, url, secret, setup } = created;
    const head = table([
      ['source_id', source.source_id],
      ['url', url],
      ...(secret === undefined ? [] : [['secret', secret]]),
    ]);
    call.print(created, `${head}\n\n${setupText(setup)}`);
    call.note('Keep address and secret now: they are not shown again.');
  },
});

function bodyOf({ args: [vendor, name], options }: CommandCall): object {
  const { scheme, secretFile, component, mayNameOrb = [], mayNameProvider = [], mayNameComponent = [] } = options;
  return {
    vendor,
    name,
    may_name: { orbs: mayNameOrb, providers: mayNameProvider, components: mayNameComponent },
    ...(scheme === undefined ? {} : { auth: { scheme } }),
    ...(component === undefined ? {} : { default_component: component }),
    ...(typeof secretFile === 'string' ? { secret: readFileSync(secretFile, 'utf8').trimEnd() } : {}),
  };
}
