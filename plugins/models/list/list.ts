import {
  defineRoute,
  exactly,
  given,
  optional,
  timestamp,
  type Principal,
  type Problem,
  type ProblemForm,
  type RequestInfo,
  type Route,
} from '../../../kernel/index.ts';
import { orbisetParams, type ModelView } from '../../runtime/contract.ts';
import * as anthropic from '../anthropic/error.ts';
import * as openai from '../openai/error.ts';
import type { ModelsScope } from '../scope.ts';
import { modelsFor, noModel } from '../serve/models.ts';
import { defaultOrbiset, keyHeaders } from '../serve/routes.ts';

const text = (description: string) => ({ type: 'string', description }) as const;
const name = { type: 'string', maxLength: 128 } as const;

const priceSchema = exactly('ModelPrice', {
  provider: text('The provider'),
  currency: text('The currency: `USD`'),
  valid_from: { type: 'string', format: 'date', description: 'The first day, UTC, on which the prices hold' },
  per_mtok: {
    ...exactly({
      input: text('Input'),
      output: optional(text('Output')),
      cache_read: optional(text('Input from a cache')),
      cache_write: optional({
        ...{ type: 'object', additionalProperties: { type: 'string' } },
        description: 'Input written to a cache, by its time to live',
      }),
    }),
    description: 'Of a million tokens, as decimal numbers',
  },
  tiered: { type: 'boolean', description: 'Some calls have other prices: with much input, or in another tier' },
});

/** Schema of a model in the list. */
export const modelSchema = exactly('Model', {
  id: text('The name that requests use'),
  object: optional({ const: 'model', description: 'The form of the OpenAI API' }),
  created: optional({ type: 'integer', minimum: 0, description: 'When this server began to offer it, Unix seconds' }),
  owned_by: optional(text('The first provider that serves it')),
  type: optional({ const: 'model', description: 'The form of the Anthropic API' }),
  display_name: optional(text('The name')),
  created_at: optional(text('When this server began to offer it')),
  orb: {
    ...exactly({
      providers: {
        type: 'array',
        items: { type: 'string' },
        description: 'The providers that may answer it, in the order in which they are asked',
      },
      prices: optional({ type: 'array', items: priceSchema, description: 'Prices of today; absent: there are none' }),
    }),
    description: 'Members of this platform',
  },
});

const listSchema = exactly('Models', {
  object: optional({ const: 'list', description: 'The form of the OpenAI API' }),
  data: { type: 'array', items: modelSchema, description: 'The models that the key can use, sorted by name' },
  first_id: optional({ type: ['string', 'null'], description: 'Of the Anthropic API: the first one' }),
  last_id: optional({ type: ['string', 'null'], description: 'Of the Anthropic API: the last one' }),
  has_more: optional({ type: 'boolean', description: 'Of the Anthropic API: whether more follow' }),
});

const listQuery = exactly({
  limit: optional({ type: 'integer', minimum: 1, maximum: 1000, description: 'Most models. Default: all' }),
  after_id: optional({ ...name, description: 'Only those after this one' }),
  before_id: optional({ ...name, description: 'Only those before this one' }),
  beta: optional({ enum: ['true', 'false'], description: 'Ignored' }),
});

type Headers = RequestInfo['headers'];

/** Clients of the Anthropic API name its version. */
const isAnthropic = (headers: Headers): boolean => headers['anthropic-version'] !== undefined;

const form: ProblemForm = {
  schema: { title: 'ModelsError', oneOf: [openai.errorSchema, anthropic.errorSchema], description: 'By the API' },
  present: (problem: Problem, { headers }) =>
    isAnthropic(headers) ? anthropic.presentError(problem) : openai.presentError(problem),
};

type Listing = RequestInfo & { readonly principal: Principal };

interface Page {
  readonly limit?: number;
  readonly after_id?: string;
  readonly before_id?: string;
}

/** Makes the routes that list models, in the form of the API that the client uses. */
export function listRoutes(scope: ModelsScope): readonly Route[] {
  const common = {
    ...({ method: 'GET', service: 'runtime', scope: 'orbs:execute', narrowed: true, keyHeaders } as const),
    problems: ['orbiset_not_found', 'model_not_found'],
    problemForm: form,
  };
  const list = { ...common, summary: 'List the models that the key can use', query: listQuery, response: listSchema };
  const one = { ...common, summary: 'Show one model', response: modelSchema };
  const model = exactly({ model: { ...name, description: 'The name' } });
  const both = exactly({ ...orbisetParams.properties, ...model.properties });
  const find = (call: Listing, wanted: string, orbisetId: string): object => {
    const found = modelsFor(call.principal, orbisetId, scope).find(({ name: own }) => own === wanted);
    if (found === undefined) throw noModel(wanted);
    return shown(found, call.headers, scope);
  };
  return [
    defineRoute({
      ...{ ...list, path: '/v1/models', operationId: 'listModels' },
      handle: (call) => listed(call, call.query, defaultOrbiset, scope),
    }),
    defineRoute({
      ...{ ...list, path: '/orbisets/{id}/v1/models', operationId: 'listModelsInOrbiset', params: orbisetParams },
      handle: (call) => listed(call, call.query, call.params.id, scope),
    }),
    defineRoute({
      ...{ ...one, path: '/v1/models/{model}', operationId: 'getModel', params: model },
      handle: (call) => find(call, call.params.model, defaultOrbiset),
    }),
    defineRoute({
      ...{ ...one, path: '/orbisets/{id}/v1/models/{model}', operationId: 'getModelInOrbiset', params: both },
      handle: (call) => find(call, call.params.model, call.params.id),
    }),
  ];
}

function listed(call: Listing, page: Page, orbisetId: string, scope: ModelsScope): object {
  const { limit, after_id, before_id } = page;
  const all = modelsFor(call.principal, orbisetId, scope);
  const within = all.filter(
    ({ name: own }) => (after_id === undefined || own > after_id) && (before_id === undefined || own < before_id),
  );
  // Going back, the nearest ones come.
  const some = limit === undefined ? within : before_id === undefined ? within.slice(0, limit) : within.slice(-limit);
  const data = some.map((model) => shown(model, call.headers, scope));
  if (!isAnthropic(call.headers)) return { object: 'list', data };
  const [first_id, last_id] = [some[0]?.name ?? null, some.at(-1)?.name ?? null];
  return { data, first_id, last_id, has_more: some.length < within.length };
}

function shown({ name: id, providers, prices }: ModelView, headers: Headers, { since }: ModelsScope): object {
  const found = prices();
  const orb = { providers, ...given({ prices: found.length === 0 ? undefined : found }) };
  if (isAnthropic(headers)) return { type: 'model', id, display_name: id, created_at: timestamp(since(id)), orb };
  return { id, object: 'model', created: Math.floor(since(id) / 1000), owned_by: providers[0] ?? '', orb };
}
