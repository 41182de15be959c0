import type { Schema } from './schema.ts';

/** One operation of the OpenAPI document, with unresolved references in its parts. */
export interface Operation {
  /** `POST /orbisets/{id}/execute` */
  readonly title: string;
  readonly summary: string;
  readonly service: string;
  /** Path of its page. */
  readonly page: string;
  readonly access: Access;
  readonly parameters: readonly Parameter[];
  readonly body: Content | undefined;
  readonly responses: Readonly<Record<string, Answer>>;
}

/** A parameter, or a reference to one. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

/** A response, or a reference to one. */
export interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
  readonly content?: Content;
}

/** Who may call an operation. */
export interface Access {
  readonly key: 'none' | 'optional' | 'needed';
  /** One of these scopes is enough; empty: any key. */
  readonly scopes: readonly string[];
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly { readonly api_key?: readonly string[] }[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** Lists the operations of a document, in the order of paths. */
export function operationsOf(document: object): readonly Operation[] {
  const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>> };
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, raw]) => operation(method, path, raw)))
    .sort((one, other) => (one.title < other.title ? -1 : 1));
}

function operation(method: string, path: string, raw: RawOperation): Operation {
  const { operationId, summary, tags, security, parameters = [], requestBody, responses } = raw;
  return {
    title: `${method.toUpperCase()} ${path}`,
    summary,
    service: tags[0] ?? '',
    page: `api/${operationId}`,
    access: accessOf(security),
    parameters,
    body: requestBody?.content,
    responses,
  };
}

function accessOf(security: RawOperation['security']): Access {
  const scopes = security.flatMap(({ api_key = [] }) => api_key);
  if (security.length === 0) return { key: 'none', scopes };
  return { key: security.some(({ api_key }) => api_key === undefined) ? 'optional' : 'needed', scopes };
}

/** Resolves references within a document; members next to `$ref` override those of the target. */
export type Follow = <T extends { readonly $ref?: string }>(part: T) => T;

/** Makes the function that resolves the references of a document. */
export function follower(document: object): Follow {
  return (part) => {
    let found = part;
    for (let steps = 0; found.$ref !== undefined && steps < 8; steps += 1) {
      const { $ref, ...beside } = found;
      const told = Object.entries(beside).filter(([, value]) => value !== undefined);
      // The cast is safe: the program made the document, and each reference has a target of the same type.
      found = { ...at(document, $ref), ...Object.fromEntries(told) } as typeof part;
    }
    return found;
  };
}

function at(document: object, pointer: string): object {
  let found: unknown = document;
  for (const step of pointer.slice(2).split('/'))
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[step];
  return typeof found === 'object' && found !== null ? found : {};
}
