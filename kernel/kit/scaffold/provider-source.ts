/** Text of an adapter that posts JSON; words in capitals stand for what `orb new provider` knows. */
export const providerSource = `import type { Api, ProviderError } from './agent-orb.d.ts';

interface Config {
  readonly url: string;
  readonly token: string;
}

/** Hands the inputs to ADAPTER as JSON, under the key of the run. */
export default (api: Api) =>
  api.defineProvider<Config>({
    name: 'ADAPTER',
    capability: { name: 'CAPABILITY', title: 'CAPABILITY' },
    config: {
      type: 'object',
      additionalProperties: false,
      required: ['url', 'token'],
      properties: {
        url: { type: 'string', maxLength: 500 },
        token: { type: 'string', maxLength: 500, secret: true },
      },
    },
    open: ({ config: { url, token } }) => ({
      async execute(inputs, { signal, idempotency_key }) {
        if (signal.aborted) throw new api.ProviderError('not_sent', 'the deadline passed before the call');
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            authorization: \`Bearer \${token}\`,
            'content-type': 'application/json',
            'idempotency-key': idempotency_key,
          },
          body: JSON.stringify(inputs),
          redirect: 'manual',
          signal,
        }).catch(() => {
          throw new api.ProviderError('unknown', 'ADAPTER did not answer', { phase: 'response' });
        });
        const text = await response.text().catch(() => '');
        if (!response.ok) throw refusal(api, response);
        const answer = parsed(text);
        // It was taken, but what it answered cannot be read: nobody knows more than that.
        if (answer === undefined) throw new api.ProviderError('unknown', 'ADAPTER answered no JSON', { phase: 'response' });
        return ANSWERED;
      },
    }),
  });

function refusal(api: Api, { status, headers }: Response): ProviderError {
  if (status === 400 || status === 422) return new api.ProviderError('rejected', 'ADAPTER refused the request');
  if (status === 401 || status === 403) return new api.ProviderError('provider_fault', 'ADAPTER refused the token');
  if (status === 429) {
    const retry_after = Number(headers.get('retry-after')) || 30;
    return new api.ProviderError('throttled', 'ADAPTER is busy', { retry_after });
  }
  // It may come after the work was done: in doubt it is unknown, and nothing is sent twice.
  return new api.ProviderError('unknown', \`ADAPTER answered \${status}\`, { phase: 'response' });
}

/** Parses an answer that holds what the outputs need; undefined when it does not. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
    return PARSED;
  } catch {
    return undefined;
  }
}
`;
