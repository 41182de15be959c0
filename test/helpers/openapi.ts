import { formatted } from './formatted.ts';

/** One operation of the document, as far as tests look at it. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** A parameter, or a reference to one. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: object;
}

/** An answer, or a reference to one. */
export interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
  readonly 'x-codes'?: readonly string[];
}

type Content = Readonly<Record<string, { readonly schema?: object }>>;

/** The document, as far as tests look at it. */
export interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Lists all operations with their `METHOD /path`. */
export function operationsOf({ paths }: Document): readonly (readonly [string, Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
}

/** Follows a reference within the document; anything else is answered as it is. */
export function resolved<T extends object>(document: Document, value: T): T {
  const { $ref } = value as { readonly $ref?: string };
  if ($ref === undefined) return value;
  const [, , kind = '', name = ''] = $ref.split('/');
  const found = document.components[kind]?.[name];
  if (found === undefined) throw new Error(`${$ref} is not in the document`);
  return found as T;
}

/**
 * Splits the document into parts that can be reviewed: the operations of each service with the components that no
 * other service uses, and what they share. By file name, formatted.
 */
export async function partsOf(document: Document): Promise<ReadonlyMap<string, string>> {
  const { paths, components, ...head } = document;
  const owners = ownersOf(document);
  const services = [...new Set(operationsOf(document).map(([, { tags }]) => tags[0]))];
  const files = new Map<string, string>();
  for (const service of services) {
    const own = Object.entries(paths).filter(([, methods]) => Object.values(methods)[0]?.tags[0] === service);
    const mine = only(components, (name) => owners.get(name) === service);
    files.set(service, await formatted({ paths: Object.fromEntries(own), components: mine }));
  }
  const common = only(components, (name) => !services.includes(owners.get(name) ?? ''));
  files.set('components', await formatted({ ...head, components: common }));
  return files;
}

function only(components: Document['components'], holds: (name: string) => boolean): object {
  return Object.fromEntries(
    Object.entries(components).map(([kind, found]) => [
      kind,
      Object.fromEntries(Object.entries(found).filter(([name]) => holds(`#/components/${kind}/${name}`))),
    ]),
  );
}

/** Finds for each component the one service that uses it; `shared` services and several have none of their own. */
function ownersOf(document: Document): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const visit = (value: unknown, service: string): void => {
    for (const [, $ref = ''] of JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)) {
      const known = owners.get($ref);
      if (known === service || known === several) continue;
      owners.set($ref, known === undefined ? service : several);
      visit(resolved(document, { $ref }), known === undefined ? service : several);
    }
  };
  for (const [, operation] of operationsOf(document)) visit(operation, operation.tags[0]);
  return owners;
}

const several = 'several';

/** Lists every property, parameter and response header of the document that has no description, by where it stands. */
export function undescribed(document: Document): readonly string[] {
  const { schemas = {}, headers = {} } = document.components;
  return [
    ...Object.entries(schemas).flatMap(([name, schema]) => bare(document, schema, name)),
    ...Object.entries(headers).flatMap(([name, header]) => (says(document, header) ? [] : [`header ${name}`])),
    ...operationsOf(document).flatMap(([title, operation]) => bareOf(document, title, operation)),
  ];
}

function bareOf(document: Document, title: string, operation: Operation): readonly string[] {
  const { parameters = [], requestBody, responses } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => [`body ${type}`, schema] as const,
  );
  const answers = Object.entries(responses).flatMap(([status, answer]) => {
    const { content = {}, headers = {} } = resolved(document, answer);
    const schemas = Object.entries(content).map(([type, { schema }]) => [`${status} ${type}`, schema] as const);
    const silent = Object.entries(headers).filter(([, header]) => !says(document, header));
    return [
      ...schemas.flatMap(([place, schema = {}]) => bare(document, schema, `${title}: ${place}`)),
      ...silent.map(([name]) => `${title}: ${status} header ${name}`),
    ];
  });
  return [
    ...parameters.flatMap((one) => {
      const { in: where, name } = resolved(document, one);
      return says(document, one) ? [] : [`${title}: ${where} parameter ${name}`];
    }),
    ...bodies.flatMap(([place, schema = {}]) => bare(document, schema, `${title}: ${place}`)),
    ...answers,
  ];
}

function says(document: Document, value: object): boolean {
  const found = { ...resolved(document, value), ...value } as { readonly description?: unknown };
  return typeof found.description === 'string' && found.description !== '';
}

// Lists the properties of a schema, at any depth, that are described neither where they stand nor where they lead.
function bare(document: Document, schema: unknown, at: string): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => bare(document, one, at));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, member]) => {
    if (name !== 'properties') return bare(document, member, at);
    return Object.entries(member as Readonly<Record<string, object>>).flatMap(([property, value]) => [
      ...(says(document, value) ? [] : [`${at}.${property}`]),
      ...bare(document, value, `${at}.${property}`),
    ]);
  });
}
