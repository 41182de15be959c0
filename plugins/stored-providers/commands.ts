import { readFileSync } from 'node:fs';
import type { adapterList } from './adapter-route.ts';
import type { configuredProviders } from './list-route.ts';
import type { changedProvider, shownProvider, testedProvider } from './schema.ts';
import { given, parseJson, type Command, type CommandCall, type Infer } from '../../kernel/index.ts';
import { apiCommand, listing, optionsOf } from '../terminal/contract.ts';

type Shown = Infer<typeof shownProvider>;
type Changed = Infer<typeof changedProvider>;
type Tested = Infer<typeof testedProvider>;

const name = { name: 'name', description: 'name of the provider, for example smtp-main' };
const file = { name: 'file', description: 'the provider as JSON (adapter, config, limits); - reads standard input' };
const match = { flag: '--if-match <digest>', description: 'only if the provider has this ETag' };

/** Commands `orb providers list|adapters|show|put|remove|test`. */
export const storedProviderCommands: readonly Command[] = [
  apiCommand<Infer<typeof configuredProviders>>({
    path: 'providers list',
    summary: 'list the providers of platform.json and of the store by name',
    route: 'GET /providers/-/configured',
    show: ({ providers }, { screen }) =>
      listing(
        ['PROVIDER', 'ADAPTER', 'FROM', 'SERVES'],
        providers.map(({ active_for, adapter, fault, name: of, origin }) => [
          ...[of, adapter, origin],
          fault ?? (active_for.length === 0 ? 'standby' : active_for.join(', ')),
        ]),
      ).on(screen),
  }),
  apiCommand<Infer<typeof adapterList>>({
    path: 'providers adapters',
    summary: 'list the adapters that a provider can have; --json shows their settings',
    route: 'GET /adapters',
    show: ({ adapters }, { screen }) =>
      listing(
        ['ADAPTER', 'ABOUT'],
        adapters.map(({ about = '', name: of, refused }) => [of, refused ?? about]),
      ).on(screen),
  }),
  apiCommand<Shown>({
    path: 'providers show',
    summary: 'show a provider and where it is defined, without its secrets',
    args: [name],
    route: 'GET /providers/{name}',
    show: (answer) => JSON.stringify(answer, null, 2),
  }),
  apiCommand<Changed>({
    path: 'providers put',
    summary: 'add a provider to the store or replace it, without a restart',
    args: [name, file],
    options: [match],
    route: 'PUT /providers/{name}',
    body: ({ args: [, from = '-'] }) => parseJson(readFileSync(from === '-' ? 0 : from, 'utf8')) as object,
    show: ({ changes, provider, warnings }) =>
      [
        `${provider.name} is in the store`,
        ...changes.map(
          ({ orb_id, provider: of, change, reason }) =>
            `${change} ${of} for ${orb_id}${reason === undefined ? '' : `: ${reason}`}`,
        ),
        ...warnings.map((warning) => `warning: ${warning}`),
      ].join('\n'),
  }),
  apiCommand({
    path: 'providers remove',
    summary: 'remove a provider from the store; one that serves an Orb cannot be removed',
    args: [name],
    options: [match],
    route: 'DELETE /providers/{name}',
    value: ({ args: [removed] }) => ({ removed }),
    show: (_, { args: [removed = ''] }) => `${removed} was removed`,
  }),
  apiCommand<Tested>({
    path: 'providers test',
    summary: 'send a test through a provider: a run by it alone, with a receipt',
    args: [name],
    options: optionsOf({
      '--to <recipient>': 'an address, number, channel, model or URL, or JSON such as {"topic":"alerts"}',
      '--from <address>': 'sender of an e-mail',
      '--inputs <json>': 'more inputs, or others, as a JSON object',
      '--orb <orb_id>': 'another Orb than the one that the capability names',
      '--orbiset <id>': 'the Orbiset to run in; default: default',
    }),
    route: 'POST /providers/{name}/test',
    body: ({ options: { to, from, inputs, orb, orbiset } }) =>
      given({
        to: typeof to === 'string' && to.startsWith('{') ? parseJson(to) : to,
        inputs: inputsOf(from, inputs),
        ...{ orb_id: orb, orbiset_id: orbiset },
      }),
    show: ({ orb_id, inputs, result: { execution_ms, outputs, receipt, run_id, status } }) =>
      [
        `${run_id} of ${orb_id} ${status} in ${execution_ms} ms`,
        `inputs   ${JSON.stringify(inputs)}`,
        `outputs  ${JSON.stringify(outputs)}`,
        `receipt  ${receipt.receipt_id}`,
      ].join('\n'),
  }),
];

type Option = CommandCall['options'][string];

function inputsOf(from: Option, inputs: Option): object | undefined {
  const more = typeof inputs === 'string' ? (parseJson(inputs) as object) : {};
  const all = { ...(typeof from === 'string' ? { from_address: from } : {}), ...more };
  return Object.keys(all).length === 0 ? undefined : all;
}
