import type { Description } from '../../../kernel/index.ts';
import { addressOf, type Page } from '../page.ts';
import { exampleOf, membersOf, settingsTable, type Schema } from './schema.ts';
import { code, jsonBlock, table } from './table.ts';

type Adapter = Description['adapters'][number];

/** Lists the adapters, each with its page. */
export function adapterIndex(adapters: readonly Adapter[]): string {
  return table(
    ['Adapter', 'Capability', 'Leaves the machine', 'Repeats safely'],
    adapters.map((adapter) => [
      `[${code(adapter.name)}](${addressOf(pathOf(adapter))})`,
      code(adapter.capability),
      adapter.sandbox ? 'no' : 'yes',
      adapter.idempotency.kind === 'none' ? 'no' : 'yes',
    ]),
  );
}

/** Makes one page per adapter: how it uses idempotency keys, and all its settings. */
export function adapterPages(adapters: readonly Adapter[]): readonly Page[] {
  return adapters.map((adapter) => ({
    path: pathOf(adapter),
    title: adapter.name,
    listedOn: 'providers',
    source: () => sourceOf(adapter),
  }));
}

function pathOf({ name }: Adapter): string {
  return `providers/${name.replace('/', '-')}`;
}

function sourceOf({ name, about = '', capability, sandbox, idempotency, config }: Adapter): string {
  const members = membersOf(config);
  const provider = { adapter: name, ...(members.length === 0 ? {} : { config: exampleConfig(config) }) };
  return [
    `# ${name}\n`,
    `${about === '' ? '' : `${about} `}An adapter of the capability ${code(capability)}. ${effectOf(sandbox)} ${repetitionOf(idempotency)}\n`,
    '## Settings\n',
    members.length === 0 ? 'It has no settings.\n' : settingsTable(members),
    '## Example\n',
    'A provider of `data/platform.json`, with the settings that are required:\n',
    jsonBlock({ providers: { [`${name.split('/')[1] ?? name}-main`]: provider } }),
  ].join('\n');
}

function effectOf(sandbox: boolean): string {
  return sandbox
    ? 'Nothing leaves the machine, so a key of mode `test` may use it.'
    : 'It reaches the world, so a key of mode `test` never uses it.';
}

function repetitionOf(idempotency: Adapter['idempotency']): string {
  if (idempotency.kind === 'native')
    return `The vendor knows a key of the run for ${idempotency.window_s} s: a call whose outcome is unknown is repeated with that key, and takes effect once.`;
  if (idempotency.kind === 'lookup')
    return 'The vendor can be asked about a call by a key of the run, so the outcome of a call that is unknown is looked up.';
  return 'The vendor knows no key of the run, so a call whose outcome is unknown is not repeated.';
}

/** Fills in the required settings; a secret becomes a reference, as platform.json requires. */
function exampleConfig(config: Schema): unknown {
  return exampleOf(config, (schema) => (schema.secret === true ? { const: { $env: 'NAME_OF_A_VARIABLE' } } : schema));
}
