import { answersOf } from './openapi-answers.ts';
import { createComponents, type Components } from './openapi-components.ts';
import { parametersOf } from './openapi-parameters.ts';
import type { Route } from './route.ts';

/** What the document says beside the routes. */
export interface OpenapiOptions {
  /** semver of the program. */
  readonly version: string;
  readonly publicUrl: string;
}

const description =
  'Runs Orbs through hot-swappable providers and answers each run with a signed trust receipt. Every answer bears ' +
  'X-Request-Id (the one of the request, or one made here) and traceparent (W3C); answers of public operations bear ' +
  'RateLimit-Policy and RateLimit. Every failure is a Problem: decide by its `code`.';

/** Assembles an OpenAPI 3.1 document from routes. Throws when two schemas, or two routes, share a name. */
export function openapi(routes: readonly Route[], { version, publicUrl }: OpenapiOptions): object {
  const components = createComponents();
  const paths: Record<string, Record<string, object>> = {};
  const ids = new Map<string, string>();
  const parameters = parametersOf(routes, components);
  for (const route of routes) {
    const title = `${route.method} ${route.path}`;
    const operationId = route.operationId ?? nameOf(route);
    const other = ids.get(operationId);
    if (other !== undefined) throw new Error(`${other} and ${title} have the same operationId ${operationId}`);
    ids.set(operationId, title);
    const described = operation(route, parameters.get(route) ?? [], components);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = { operationId, ...described };
  }
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
    components: {
      ...components.all(),
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key: orb_live_… or orb_test_…' },
      },
    },
  };
}

// An empty requirement says that the key may be left out.
function securityOf(route: Route): readonly object[] {
  if (route.public !== true) return [{ api_key: [] }];
  return route.optionalKey === true ? [{}, { api_key: [] }] : [];
}

function operation(route: Route, parameters: readonly object[], components: Components): object {
  const body = bodyOf(route, components);
  return {
    summary: route.summary,
    tags: [route.service],
    ...scopeOf(route),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: answersOf(route, components),
  };
}

function scopeOf({ scope, anyKey }: Route): object {
  if (anyKey === true) return { description: 'Any valid key will do.' };
  if (scope === undefined) return {};
  const needed = typeof scope === 'string' ? `the scope \`${scope}\`` : `one of the scopes \`${scope.join('`, `')}\``;
  return { description: `Needs ${needed}.`, 'x-scope': scope };
}

function bodyOf({ body, files, raw, textMember }: Route, components: Components): object | undefined {
  const any = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (body === undefined) return raw === true ? any : undefined;
  const form = files === undefined ? undefined : formOf(files);
  return {
    'application/json': { schema: components.place(body) },
    ...(textMember === undefined ? {} : { 'text/plain': { schema: { type: 'string' } } }),
    ...(form === undefined ? {} : { 'multipart/form-data': { schema: form } }),
  };
}

function formOf(files: readonly string[]): object {
  const file = { type: 'string', format: 'binary' };
  return { type: 'object', properties: Object.fromEntries(files.map((name) => [name, file])) };
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
