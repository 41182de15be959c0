import type { Route, Webhook } from '../../kernel/index.ts';
import { answersOf, type Described } from './answers.ts';
import { createComponents, type Components } from './components.ts';
import { parametersOf } from './parameters.ts';

/** The parts of the document. */
export interface DocumentSource extends Described {
  /** semver of the program. */
  readonly version: string;
  readonly publicUrl: string;
}

const description =
  'Runs Orbs through hot-swappable providers and returns a signed trust receipt for each run. Every answer has ' +
  'X-Request-Id (from the request, or created here) and traceparent (W3C); answers of public operations have ' +
  'RateLimit-Policy and RateLimit. Every error is a Problem: use its `code` in programs.';

const apiKey = 'An API key: orb_live_… or orb_test_…; a requirement lists the scope that the key must have.';

/** Assembles an OpenAPI 3.1 document from routes. Throws when two schemas, or two routes, share a name. */
export function documentOf({ version, publicUrl, ...described }: DocumentSource): object {
  const { routes } = described;
  const components = createComponents();
  const paths: Record<string, Record<string, object>> = {};
  const ids = new Map<string, string>();
  // A schema that a request and an answer share is closed, as requests are, so the request places it first.
  for (const { body } of routes) components.place(body);
  const shared = {
    answers: answersOf(described, components),
    components,
    parameters: parametersOf(routes, components),
  };
  for (const route of routes) {
    const title = `${route.method} ${route.path}`;
    const operationId = route.operationId ?? nameOf(route);
    const other = ids.get(operationId);
    if (other !== undefined) throw new Error(`${other} and ${title} have the same operationId ${operationId}`);
    ids.set(operationId, title);
    const described = operation(route, shared);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = { operationId, ...described };
  }
  const webhooks = webhooksOf(routes, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Orb Platform',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map(({ service }) => service))].map((name) => ({ name })),
    paths,
    ...(webhooks === undefined ? {} : { webhooks }),
    components: {
      ...components.all(),
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: apiKey },
      },
    },
  };
}

// An empty requirement makes the key optional; of several requirements, one is enough.
function securityOf({ public: open, optionalKey, scope = [] }: Route): readonly object[] {
  if (open === true) return optionalKey === true ? [{}, { api_key: [] }] : [];
  const scopes = [scope].flat();
  return scopes.length === 0 ? [{ api_key: [] }] : scopes.map((one) => ({ api_key: [one] }));
}

interface Shared {
  readonly answers: ReturnType<typeof answersOf>;
  readonly components: Components;
  readonly parameters: ReturnType<typeof parametersOf>;
}

function operation(route: Route, { answers, components, parameters }: Shared): object {
  const own = parameters.get(route) ?? [];
  const body = bodyOf(route, components);
  return {
    summary: route.summary,
    tags: [route.service],
    security: securityOf(route),
    ...(own.length === 0 ? {} : { parameters: own }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: answers(route),
  };
}

function bodyOf({ body, files, method, raw, textMember }: Route, components: Components): object | undefined {
  const sendsBody = method !== 'GET' && method !== 'OPTIONS';
  if (body === undefined) return raw === true && sendsBody ? anything : undefined;
  const form = files === undefined ? undefined : formOf(files);
  return {
    'application/json': { schema: components.place(body) },
    ...(textMember === undefined ? {} : { 'text/plain': { schema: { type: 'string' } } }),
    ...(form === undefined ? {} : { 'multipart/form-data': { schema: form } }),
  };
}

// The format of a raw body is defined by its sender and its reader.
const anything = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

function formOf(files: readonly string[]): object {
  const file = (name: string) => ({ type: 'string', format: 'binary', description: `The file \`${name}\`` });
  return { type: 'object', properties: Object.fromEntries(files.map((name) => [name, file(name)])) };
}

/** Derives `postOrbisetsByIdExecute` from POST /orbisets/{id}/execute. */
function nameOf({ method, path }: Route): string {
  const words = path.split('/').filter((segment) => segment !== '');
  const parts = words.map((segment) =>
    segment.startsWith('{') ? `by-${segment}` : segment === '-' ? 'dash' : segment,
  );
  return (
    method.toLowerCase() +
    parts
      .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
      .map(capital)
      .join('')
  );
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Describes the webhooks that routes register, by name; undefined: there is none. */
function webhooksOf(routes: readonly Route[], components: Components): object | undefined {
  const found = routes.flatMap(({ service, webhooks = {} }) =>
    Object.entries(webhooks).map(([name, webhook]) => [name, { post: webhookOf(webhook, service, components) }]),
  );
  return found.length === 0 ? undefined : (Object.fromEntries(found) as object);
}

function webhookOf(webhook: Webhook, service: string, components: Components): object {
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
