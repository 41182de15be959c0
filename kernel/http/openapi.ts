import { problems, type ProblemCode } from '../error.ts';
import type { JsonSchema } from '../schema.ts';
import { problemSchema, problemType } from './problem.ts';
import { requestHeaders } from './request-header.ts';
import type { Route } from './route.ts';

/** What the document says beside the routes. */
export interface OpenapiOptions {
  /** semver of the program. */
  readonly version: string;
  readonly publicUrl: string;
}

/** Assembles an OpenAPI 3.1 document from routes. Throws when two schemas, or two routes, share a name. */
export function openapi(routes: readonly Route[], { version, publicUrl }: OpenapiOptions): object {
  const components = createComponents();
  const paths: Record<string, Record<string, object>> = {};
  const ids = new Map<string, string>();
  for (const route of routes) {
    const title = `${route.method} ${route.path}`;
    const operationId = nameOf(route);
    const other = ids.get(operationId);
    if (other !== undefined) throw new Error(`${other} and ${title} have the same operationId ${operationId}`);
    ids.set(operationId, title);
    (paths[route.path] ??= {})[route.method.toLowerCase()] = { operationId, ...operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Orb Platform',
      version,
      description: 'Runs Orbs through hot-swappable providers and answers each run with a signed trust receipt.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map(({ service }) => service))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.all(),
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

function operation(route: Route, components: Components): object {
  const parameters = [
    ...parametersOf('path', route.params, components),
    ...parametersOf('query', route.query, components),
    ...(route.reads ?? []).map((name) => ({ name, in: 'header', required: false, ...requestHeaders[name] })),
  ];
  const body = bodyOf(route, components);
  return {
    summary: route.summary,
    tags: [route.service],
    ...scopeOf(route),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: { ...success(route, components), ...failures(route, components) },
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

function parametersOf(where: 'path' | 'query', schema: JsonSchema | undefined, components: Components): object[] {
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema?.['required'] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(typeof property['description'] === 'string' ? { description: property['description'] } : {}),
    schema: components.place(property),
  }));
}

function success(route: Route, components: Components): Record<string, object> {
  const { response, produces, status, also = [] } = route;
  if (response === undefined && produces === undefined) return { [status ?? 204]: { description: 'Done' } };
  const schema = response === undefined ? {} : { schema: components.place(response) };
  const answer = { description: route.summary, content: { [produces ?? 'application/json']: schema } };
  return Object.fromEntries([status ?? 200, ...also].map((each) => [each, answer]));
}

function failures(route: Route, components: Components): Record<string, object> {
  const byStatus = Map.groupBy(new Set(codesOf(route)), (code) => problems[code].status);
  const schema = components.place(problemSchema);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('; '),
        content: {
          [problemType]: { schema: { allOf: [schema, { type: 'object', properties: { code: { enum: codes } } }] } },
        },
      },
    ]),
  );
}

// Lists the problems a route can answer: those of every route of its kind, then its own.
function codesOf(route: Route): readonly ProblemCode[] {
  const codes: ProblemCode[] = [];
  // A query nobody asked for is refused, too.
  const anyQuery = route.query === undefined && (route.raw === true || route.anyQuery === true);
  if (route.params !== undefined || !anyQuery) codes.push('invalid_parameter');
  if (route.public !== true) codes.push('unauthenticated', 'insufficient_scope', 'tls_required');
  if (route.optionalKey === true) codes.push('unauthenticated', 'tls_required');
  if (route.unlimited !== true) codes.push('rate_limited', 'draining');
  if (route.body !== undefined) {
    codes.push('malformed_json', 'payload_too_large', 'unsupported_media_type', 'invalid_body');
  }
  if (route.raw === true) codes.push('payload_too_large');
  if (route.raw === true || route.files !== undefined || route.textMember !== undefined)
    codes.push('malformed_request');
  return [...codes, ...route.problems, 'internal'];
}

interface Components {
  /** Replaces what has an `$id`, at any depth, by a reference to its component. */
  place(schema: unknown): unknown;
  all(): Readonly<Record<string, unknown>>;
}

function createComponents(): Components {
  const placed = new Map<string, { source: string; schema: unknown }>();
  const place = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(place);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, ...rest } = value as Readonly<Record<string, unknown>>;
    if (typeof $id !== 'string') return members(value);
    const source = JSON.stringify(rest);
    const other = placed.get($id);
    if (other !== undefined && other.source !== source) throw new Error(`two schemas have the $id ${$id}`);
    if (other === undefined) placed.set($id, { source, schema: members(rest) });
    return { $ref: `#/components/schemas/${$id}` };
  };
  const members = (value: object): object =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, place(member)]));
  return {
    place,
    all: () => Object.fromEntries([...placed].sort().map(([name, { schema }]) => [name, schema])),
  };
}
