import { defineProvider, ProviderError } from 'agent-orb-kit';

// The outputs that the Orb's outputs_schema requires; with an empty list the whole answer is returned.
const outputs: readonly string[] = ['message_id'];

/** Sends the inputs to acme as JSON, with the key of the run. */
export default defineProvider({
  name: 'acme',
  capability: { name: 'email', title: 'email' },
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
      if (signal.aborted) throw new ProviderError('not_sent', 'the deadline passed before the call');
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': idempotency_key,
        },
        body: JSON.stringify(inputs),
        redirect: 'manual',
        signal,
      }).catch(() => {
        throw new ProviderError('unknown', 'acme did not answer', { phase: 'response' });
      });
      const text = await response.text().catch(() => '');
      if (!response.ok) throw refusal(response);
      const answer = parsed(text);
      // The service took the call, but its answer cannot be read: the outcome is unknown.
      if (answer === undefined) throw new ProviderError('unknown', 'acme answered no JSON', { phase: 'response' });
      return answer;
    },
  }),
});

function refusal({ status, headers }: Response): ProviderError {
  if (status === 400 || status === 422) return new ProviderError('rejected', 'acme refused the request');
  if (status === 401 || status === 403) return new ProviderError('provider_fault', 'acme refused the token');
  if (status === 429) {
    const retry_after = Number(headers.get('retry-after')) || 30;
    return new ProviderError('throttled', 'acme is busy', { retry_after });
  }
  // The status may come after the work was done: in doubt the outcome is unknown, and nothing is sent twice.
  return new ProviderError('unknown', `acme answered ${status}`, { phase: 'response' });
}

/** Reads the outputs from an answer; undefined when it does not hold them. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
    const members = { ...answer } as Record<string, unknown>;
    if (outputs.length === 0) return members;
    if (!outputs.every((name) => name in members)) return undefined;
    return Object.fromEntries(outputs.map((name) => [name, members[name]]));
  } catch {
    return undefined;
  }
}
