import { operationsOf, resolved, type Document } from './openapi.ts';

/** A rule that client generators need, and the places of a document that break it. */
type Rule = (document: Document) => readonly string[];

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly uniqueItems?: boolean;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly anyOf?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
}

interface Webhooks {
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, { readonly 'x-internal'?: boolean }>>>>;
}

/** The rules of the document by what each generator makes of a document that breaks it. */
export const generatorRules: Readonly<Record<string, Rule>> = {
  'lists no types but with null: ogen and oapi-codegen stop': (document) =>
    placesOf(document, ({ type }) => Array.isArray(type) && (type.length > 2 || !type.includes('null'))),
  'says oneOf, not anyOf: ogen leaves the answer out': (document) =>
    placesOf(document, ({ anyOf }) => Array.isArray(anyOf)),
  'has no object as a default: ogen stops': (document) =>
    placesOf(document, ({ type, default: given }) => type === 'object' && given !== undefined),
  'names no parameter `a`, `r` or with another single letter than n and q: Go code of openapi-generator does not compile':
    (document) =>
      operationsOf(document).flatMap(([title, { parameters = [] }]) =>
        parameters
          .map((one) => resolved(document, one).name)
          .filter((name) => name.length === 1 && !'nq'.includes(name))
          .map((name) => `${title} ${name}`),
      ),
  'names each operation differently: every generator writes a function twice': (document) => {
    const names = operationsOf(document).map(([, { operationId }]) => operationId);
    return names.filter((name, at) => names.indexOf(name) !== at);
  },
  'describes no header of an event stream, and no type of its events: code of ogen does not compile': (document) =>
    operationsOf(document).flatMap(([title, { responses }]) =>
      Object.values(responses).flatMap((answer) => {
        const { content = {}, headers } = resolved(document, answer);
        const events = content['text/event-stream'];
        return events === undefined || (headers === undefined && !('type' in (events.schema ?? {}))) ? [] : [title];
      }),
    ),
  'has no optional constant in a request: ogen sends it always': (document) =>
    operationsOf(document).flatMap(([title, { requestBody }]) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema = {} }) => {
        const { properties = {}, required = [] } = resolved<Schema>(document, schema);
        const optional = Object.entries(properties).filter(([name]) => !required.includes(name));
        return optional.filter(([, { const: value }]) => value !== undefined).map(([name]) => `${title} ${name}`);
      }),
    ),
  'lists no values of a boolean: Java code of openapi-generator does not compile': (document) =>
    placesOf(document, ({ enum: values }) => Array.isArray(values) && values.some((one) => typeof one === 'boolean')),
  'has no set of listed values: Java code of openapi-generator does not compile': (document) =>
    placesOf(document, ({ uniqueItems, items }) => uniqueItems === true && items?.enum !== undefined),
  'marks each webhook internal: openapi-generator writes its class over that of the tag': (document) =>
    Object.entries((document as Webhooks).webhooks ?? {}).flatMap(([name, methods]) =>
      Object.values(methods).every((webhook) => webhook['x-internal'] === true) ? [] : [name],
    ),
  'has no member that is always null: openapi-generator uses a class for it that it does not write': (document) =>
    placesOf(document, ({ type }) => type === 'null').filter((at) => !/\/(?:any|one)Of\/\d+$/.test(at)),
  'names no component as code that openapi-generator writes: it would be there twice': ({ components }) =>
    Object.keys(components.schemas ?? {}).filter((name) => written.includes(name)),
};

// Of Go, TypeScript and Java.
const written: readonly string[] = [
  ...['APIClient', 'APIKey', 'APIResponse', 'BasicAuth', 'Configuration', 'GenericOpenAPIError'],
  ...['ServerConfiguration', 'ServerConfigurations', 'ServerVariable', 'ServerVariables'],
  ...['BaseAPI', 'FetchError', 'RequiredError', 'ResponseError', 'Middleware'],
  ...['ApiCallback', 'ApiClient', 'ApiException', 'ApiResponse', 'JSON', 'Pair', 'StringUtil'],
];

function placesOf(value: unknown, isFault: (schema: Schema) => boolean, at = '#'): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, member]) => placesOf(member, isFault, `${at}/${name}`));
  return !Array.isArray(value) && isFault(value) ? [at, ...inner] : inner;
}
