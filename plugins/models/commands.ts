import {
  ClientError,
  defineCommand,
  given,
  type Answered,
  type Command,
  type CommandCall,
} from '../../kernel/index.ts';
import { dollars, listing, optionsOf, record } from '../terminal/contract.ts';
import type { modelSchema } from './list/list.ts';
import type { OrbMember } from './wire/shape.ts';

type Model = Answered<typeof modelSchema>;

const orbiset = { '--orbiset <id>': { description: 'the Orbiset', default: 'default' } };

/** The commands `orb models …`. */
export const modelCommands: readonly Command[] = [
  defineCommand({
    path: 'models list',
    summary: 'list the models that the key can use: their providers in order, and prices per million tokens',
    options: optionsOf(orbiset),
    run: listModels,
  }),
  defineCommand({
    path: 'models test',
    summary: 'test a model by one small call, which is a run with a receipt and may cost something',
    args: [{ name: 'model', description: 'the alias, as orb models list shows it' }],
    options: optionsOf({ ...orbiset, '--embed': 'ask for a vector of a word in place of an answer' }),
    run: testModel,
  }),
];

const below = ({ options: { orbiset: id = 'default' } }: CommandCall, path: string): string =>
  `/orbisets/${encodeURIComponent(String(id))}/v1${path}`;

async function listModels(call: CommandCall): Promise<void> {
  const answer = await asked<{ readonly data: readonly Model[] }>(call, 'GET', '/models');
  const rows = answer.data.map(({ id, orb: { providers, prices = [] } }) => {
    // The first provider is the one that answers, unless it fails.
    const price = prices.find(({ provider }) => provider === providers[0]);
    const { input = '', output = '' } = price?.per_mtok ?? {};
    return [id, providers.join(', '), input && `$${input}`, output && `$${output}`];
  });
  call.print(answer, listing(['MODEL', 'PROVIDERS', 'INPUT', 'OUTPUT'], rows).on(call.screen));
}

interface Tested {
  readonly model: string;
  readonly choices?: readonly { readonly finish_reason: string }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens?: number };
  readonly orb: OrbMember;
}

// Small enough to cost next to nothing, and large enough for each vendor.
const question = { max_completion_tokens: 16, messages: [{ role: 'user', content: 'Reply with the word OK.' }] };

async function testModel(call: CommandCall): Promise<void> {
  const { args, options, print, screen } = call;
  const [model = ''] = args;
  const answer =
    options['embed'] === true
      ? await asked<Tested>(call, 'POST', '/embeddings', { model, input: 'OK' })
      : await asked<Tested>(call, 'POST', '/chat/completions', { model, ...question });
  const { choices, orb, usage } = answer;
  const provider = await providerOf(call, orb.run_id);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['model', answer.model === model ? model : `${model}, answered by ${answer.model}`],
    ['provider', provider],
    ['finish', choices?.[0]?.finish_reason],
    ['usage', usageText(usage)],
    ['cost', orb.cost === undefined ? 'unknown: without usage or without a price' : costText(orb.cost)],
    ['receipt', orb.receipt_id],
    ['run', orb.run_id],
  ];
  const known = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  print({ ...answer, ...given({ provider }) }, record(known).on(screen));
}

function usageText(usage: Tested['usage']): string {
  if (usage === undefined) return 'unknown: the provider reported none';
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return `${input} input tokens${output === undefined ? '' : `, ${output} output tokens`}`;
}

// The price file knows this one alone.
const costText = ({ amount_nanos, currency }: NonNullable<OrbMember['cost']>): string =>
  currency === 'USD' ? dollars(amount_nanos) : `${amount_nanos} nano-${currency}`;

// A key that may not read the run has tested the model all the same.
async function providerOf({ client }: CommandCall, runId: string): Promise<string | undefined> {
  const run = client().request<{ readonly provider?: string }>('GET', `/runs/${runId}`);
  return run.then(
    ({ provider }) => provider,
    () => undefined,
  );
}

/** Sends a request to a door. Throws a ClientError that says in one sentence why it was refused. */
async function asked<T>(call: CommandCall, method: string, path: string, body?: object): Promise<T> {
  return call
    .client()
    .request<T>(method, below(call, path), body)
    .catch((error: unknown) => {
      throw error instanceof ClientError ? explained(error, call) : error;
    });
}

interface DoorError {
  readonly message: string;
  readonly orb?: {
    readonly code?: string;
    readonly run_id?: string;
    readonly reasons?: readonly { readonly code: string; readonly message?: string }[];
  };
}

// Doors answer failures in the form of the API of OpenAI.
function explained(error: ClientError, { args: [model = ''] }: CommandCall): ClientError {
  const { problem, status } = error;
  const told = problem?.['error'] as DoorError | undefined;
  if (told === undefined) return error;
  const { code = '', reasons = [], run_id } = told.orb ?? {};
  if (code === 'model_not_found')
    return new ClientError(
      `there is no model ${model} for this key; orb models list shows those it has`,
      status,
      problem,
    );
  const why = reasons.map((reason) => `; reason: ${reason.message ?? reason.code}`).join('');
  const run = run_id === undefined ? '' : `, run ${run_id}`;
  return new ClientError(`${told.message}${why} (${code}${run})`, status, problem);
}
