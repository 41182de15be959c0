import type { Route } from '../route/route.ts';
import type { Webhook } from '../route/webhook.ts';
import type { Components } from './components.ts';

/** Describes the webhooks that routes register, by name; undefined: there is none. */
export function webhooksOf(routes: readonly Route[], components: Components): object | undefined {
  const found = routes.flatMap(({ service, webhooks = {} }) =>
    Object.entries(webhooks).map(([name, webhook]) => [name, { post: operation(webhook, service, components) }]),
  );
  return found.length === 0 ? undefined : (Object.fromEntries(found) as object);
}

function operation(webhook: Webhook, service: string, components: Components): object {
  const { operationId, summary, description, headers, content, answers } = webhook;
  return {
    ...{ operationId, summary, description, tags: [service], security: [] },
    // Without it, openapi-generator writes a class for webhooks over the class of the tag.
    'x-internal': true,
    parameters: Object.entries(headers).map(([name, said]) => ({
      ...{ name, in: 'header', required: true, description: said, schema: { type: 'string' } },
    })),
    requestBody: {
      required: true,
      content: Object.fromEntries(
        Object.entries(content).map(([type, schema]) => [type, { schema: components.placeAnswer(schema) }]),
      ),
    },
    responses: Object.fromEntries(Object.entries(answers).map(([status, said]) => [status, { description: said }])),
  };
}
