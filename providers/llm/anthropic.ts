import { defineProvider, exactly, optional, ProviderError } from '../../kernel/adapter.ts';
import { openClient, type Call } from '../vendor/http/client.ts';
import { jsonBody } from '../vendor/http/json.ts';
import { secretText } from '../vendor/http/settings.ts';
import { countOf, countRequest } from './anthropic/count.ts';
import { codesOf, MessageReader } from './anthropic/reader.ts';
import { messagesRequest, versions } from './anthropic/request.ts';
import { llm } from './contract.ts';
import type { ChatInputs } from './shape/inputs.ts';
import { askedOf } from './shape/kinds.ts';
import { ask, refusedAnswer, type Protocol } from './wire/chat.ts';
import { loadEvents } from './wire/events.ts';
import { baseOf, baseUrl, drains, limitsOf, modelOf, modelSettings, urlWarnings } from './wire/settings.ts';

const config = exactly({
  api_key: secretText('API key'),
  base_url: optional({ ...baseUrl, default: 'https://api.anthropic.com/v1' }),
  version: optional({
    enum: versions,
    title: 'Version of the API',
    description: '2026-10-21 has no temperature and no top_p.',
    default: '2026-10-21',
  }),
  max_output_tokens: optional({
    type: 'integer',
    title: 'Most tokens of an answer when neither the caller nor the model has a number',
    minimum: 1,
    maximum: 10_000_000,
    default: 8192,
  }),
  thinking: optional({
    enum: ['adaptive', 'disabled'],
    title: 'Whether models think first',
    description: 'Without it, as the model does by default.',
  }),
  ...modelSettings,
});

const mostOfAnswer = 64 * 2 ** 20;

/** Asks models by Anthropic's Messages API. */
export default defineProvider({
  name: 'anthropic',
  capability: llm,
  about: 'Asks models of Anthropic.',
  config,
  warningsOf: ({ base_url }) => urlWarnings(base_url),
  drainsOf: drains,
  async open({ config: settings }) {
    const { api_key, connect_timeout_ms, max_connections, plain, thinking, version } = settings;
    const { origin, path } = baseOf(settings.base_url, plain);
    const timeouts = { connect_timeout_ms, max_connections, response_timeout_ms: 0 };
    const client = await openClient({ ...timeouts, base_url: origin }, mostOfAnswer);
    const events = await loadEvents();
    const protocol: Protocol = { title: 'Anthropic', client, codesOf, events };
    const headers = { 'x-api-key': api_key, 'anthropic-version': version, accept: 'application/json' };
    const options = { version, thinking, ignored: settings.ignored_parameters, allowed: settings.vendor_parameters };
    const requestOf = (inputs: ChatInputs, streamed: boolean) => {
      const model = modelOf(settings, inputs.model);
      const { max_output_tokens = settings.max_output_tokens, name } = model;
      const body = messagesRequest(inputs, { ...options, model: name, max_output_tokens, streamed });
      return { model, body };
    };
    const post = (to: string, body: object, accept: string): Call => ({
      ...{ method: 'POST', path: `${path}${to}`, body: jsonBody(body) },
      headers: { ...headers, accept, 'content-type': 'application/json' },
    });
    return {
      async execute(given, context) {
        const { kind, inputs } = askedOf(given);
        if (kind === 'embed') throw noEmbeddings();
        if (kind === 'count') {
          const { body, model } = requestOf({ model: inputs.model, ...inputs.prompt }, false);
          const counted = post('/messages/count_tokens', countRequest(body), 'application/json');
          const answer = await client.call(counted, context.signal);
          if (answer.status < 200 || answer.status > 299) throw refusedAnswer(protocol, answer);
          return { ...countOf(answer.body, model.name) };
        }
        const streamed = context.emit !== undefined;
        const { body, model } = requestOf(inputs, streamed);
        const call = post('/messages', body, streamed ? 'text/event-stream' : 'application/json');
        const limits = limitsOf(settings, model);
        return { ...(await ask(protocol, call, { reader: new MessageReader(model.name), limits, context })) };
      },
      async probe(signal) {
        const answer = await client.call({ method: 'GET', path: `${path}/models`, headers }, signal);
        if (answer.status < 200 || answer.status > 299) throw refusedAnswer(protocol, answer);
      },
      close: () => client.close(),
    };
  },
});

function noEmbeddings(): ProviderError {
  return new ProviderError('provider_fault', 'Anthropic has no embeddings', {
    phase: 'model',
    remedy: 'bind `llm.embed` to another provider',
  });
}
