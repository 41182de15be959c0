import type { JsonSchema, RequestHeader, Route } from '../../kernel/index.ts';
import type { Components } from './components.ts';
import { requestHeaders } from './header.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

/**
 * Assembles the parameters of all routes; a parameter that several routes share word for word stands once, as
 * `path.orb_id`.
 */
export function parametersOf(routes: readonly Route[], components: Components): ReadonlyMap<Route, readonly object[]> {
  const all = new Map(routes.map((route) => [route, ownParameters(route, components)] as const));
  const usual = mostUsed([...all.values()].flat());
  const placed = (one: Parameter): object => {
    const name = `${one.in}.${one.name}`;
    return usual.get(name) === JSON.stringify(one) ? components.refer('parameters', name, () => one) : one;
  };
  return new Map([...all].map(([route, own]) => [route, own.map(placed)]));
}

function ownParameters(route: Route, components: Components): readonly Parameter[] {
  return [
    ...schemaParameters('path', route.params, components),
    ...schemaParameters('query', route.query, components),
    ...headersRead(route).map((name) => ({ name, in: 'header', ...requestHeaders[name] }) as const),
  ];
}

// Every route takes X-Request-Id, but only routes with several bodies list it: openapi-python-client 0.29 generates
// code that cannot be imported for an operation with several bodies and no optional parameter.
function headersRead({ reads = [], conditional, files }: Route): readonly RequestHeader[] {
  const conditions = conditional === true ? (['If-None-Match'] as const) : [];
  const ids = files === undefined ? [] : (['X-Request-Id'] as const);
  return [...new Set([...reads, ...conditions, ...ids])];
}

function schemaParameters(
  where: 'path' | 'query',
  schema: JsonSchema | undefined,
  components: Components,
): readonly Parameter[] {
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema?.['required'] ?? []) as readonly string[];
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    ...(where === 'path' || required.includes(name) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema: components.place(property),
  }));
}

/** Finds for each place and name the form that most routes use; absent where no two are the same. */
function mostUsed(parameters: readonly Parameter[]): ReadonlyMap<string, string> {
  const texts = Map.groupBy(parameters, (one) => `${one.in}.${one.name}`);
  const usual = new Map<string, string>();
  for (const [name, found] of texts) {
    const counts = [...Map.groupBy(found, (one) => JSON.stringify(one))].sort(([, a], [, b]) => b.length - a.length);
    const [text, uses = []] = counts[0] ?? [''];
    if (uses.length > 1) usual.set(name, text);
  }
  return usual;
}
