import { defineProvider, exactly, optional, ProviderError, type Infer } from '../../kernel/adapter.ts';
import { openClient, type Call } from '../vendor/http/client.ts';
import { jsonBody } from '../vendor/http/json.ts';
import { secretText } from '../vendor/http/settings.ts';
import { llm } from './contract.ts';
import { dialects, type Dialect, type DialectName } from './openai/dialects.ts';
import { embedOutputs, embedRequest } from './openai/embeddings.ts';
import { codesOf, CompletionReader } from './openai/reader.ts';
import { chatRequest } from './openai/request.ts';
import { askedOf, uncounted } from './shape/kinds.ts';
import { ask, refusedAnswer, type Protocol } from './wire/chat.ts';
import { loadEvents } from './wire/events.ts';
import { baseOf, baseUrl, drains, limitsOf, modelOf, modelSettings, urlWarnings } from './wire/settings.ts';

const config = exactly({
  dialect: optional({
    enum: Object.keys(dialects) as DialectName[],
    title: 'Whose API it is',
    default: 'openai',
  }),
  api_key: optional(secretText('API key')),
  base_url: optional(baseUrl),
  organization: optional({ type: 'string', title: 'OpenAI organization', pattern: '^[!-~]{1,128}$' }),
  project: optional({ type: 'string', title: 'OpenAI project', pattern: '^[!-~]{1,128}$' }),
  ...modelSettings,
});

type Settings = Infer<typeof config>;

const mostOfAnswer = 64 * 2 ** 20;

/** Asks models by OpenAI's API of chat completions, and by that of hosts that are like it. */
export default defineProvider({
  name: 'openai-compatible',
  capability: llm,
  about: 'Asks models of OpenAI and of servers with the same API, also local ones.',
  config,
  warningsOf: ({ base_url }) => (base_url === undefined ? [] : urlWarnings(base_url)),
  drainsOf: drains,
  async open({ config: settings }) {
    const { connect_timeout_ms, max_connections, plain } = settings;
    const dialect: Dialect = dialects[settings.dialect];
    const { origin, path } = baseOf(addressOf(settings, dialect), plain);
    const timeouts = { connect_timeout_ms, max_connections, response_timeout_ms: 0 };
    const client = await openClient({ ...timeouts, base_url: origin }, mostOfAnswer);
    const { title, busy } = dialect;
    const protocol: Protocol = { title, busy, client, codesOf, events: await loadEvents() };
    const headers = headersOf(settings, dialect);
    const post = (to: string, body: object, accept: string): Call => ({
      ...{ method: 'POST', path: `${path}${to}` },
      headers: { ...headers, accept, 'content-type': 'application/json' },
      body: jsonBody(body),
    });
    const options = { dialect, ignored: settings.ignored_parameters, allowed: settings.vendor_parameters };
    return {
      async execute(given, context) {
        const { kind, inputs } = askedOf(given);
        const model = modelOf(settings, inputs.model);
        const { max_output_tokens, name } = model;
        if (kind === 'count') throw uncounted(title);
        if (kind === 'embed') {
          const call = post('/embeddings', embedRequest(inputs, { ...options, model: name }), 'application/json');
          const answer = await client.call(call, context.signal);
          if (answer.status < 200 || answer.status > 299) throw refusedAnswer(protocol, answer);
          return { ...embedOutputs(answer.body, inputs, name) };
        }
        const streamed = context.emit !== undefined;
        const body = chatRequest(inputs, { ...options, model: name, max_output_tokens, streamed });
        const call = post('/chat/completions', body, streamed ? 'text/event-stream' : 'application/json');
        const limits = limitsOf(settings, model);
        return { ...(await ask(protocol, call, { reader: new CompletionReader(name), limits, context })) };
      },
      async probe(signal) {
        const answer = await client.call({ method: 'GET', path: `${path}/models`, headers }, signal);
        if (answer.status < 200 || answer.status > 299) throw refusedAnswer(protocol, answer);
      },
      close: () => client.close(),
    };
  },
});

function addressOf({ base_url, dialect: name }: Settings, dialect: Dialect): string {
  const url = base_url ?? dialect.base_url;
  if (url !== undefined) return url;
  throw new ProviderError('provider_fault', `\`base_url\` is missing: ${name} has no common address`, {
    phase: 'open',
    remedy: 'set `base_url`',
  });
}

function headersOf({ api_key, organization, project }: Settings, { auth }: Dialect): Record<string, string> {
  const bearer = auth === 'bearer' ? { authorization: `Bearer ${api_key ?? ''}` } : { 'api-key': api_key ?? '' };
  return {
    accept: 'application/json',
    ...(api_key === undefined ? {} : bearer),
    ...(organization === undefined ? {} : { 'openai-organization': organization }),
    ...(project === undefined ? {} : { 'openai-project': project }),
  };
}
