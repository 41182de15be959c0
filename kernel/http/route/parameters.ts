import type { Principal } from '../../access.ts';
import { PlatformError } from '../../error.ts';
import type { Fault } from '../../tools/schema/fault.ts';
import { compileBody, compileLater, compileParameters, type JsonSchema } from '../../tools/schema.ts';
import { meantName } from '../../tools/text/similar.ts';
import { nulDetail } from '../body/json.ts';
import type { Route } from './route.ts';

/**
 * Compiles the schemas of a route now. Throws when one is wrong: tests here do not cover routes of external plugins.
 */
export function checkSchemas({ body, method, params, path, query }: Route): void {
  try {
    if (body !== undefined) compileBody(body);
    for (const schema of [params, query]) if (schema !== undefined) compileParameters(schema);
  } catch (error) {
    throw new Error(`${method} ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/**
 * Makes the functions that read the typed values of one route's requests. Throws when a path parameter and the schema of
 * the parameters do not agree.
 */
export function createParser(route: Route) {
  return {
    /** Throws 400 `invalid_parameter`. */
    params: paramsParser(route),
    /** Takes what follows the question mark. Throws 400 `invalid_parameter`, for unknown and repeated names too. */
    query: queryParser(route),
    /** Absent when the route reads no body. Throws 422 `invalid_body` with pointers. */
    body: route.body === undefined ? undefined : bodyParser(route, route.body),
  };
}

function paramsParser({ method, path, params: schema }: Route) {
  const segments = path.split('/').filter((segment) => /[{}:*()[\]]/.test(segment));
  const odd = segments.find((segment) => !/^\{\w+\}$/.test(segment));
  if (odd !== undefined) throw new Error(`${method} ${path}: a path parameter must be a whole segment, not ${odd}`);
  const inPath = segments.map((segment) => segment.slice(1, -1)).sort();
  const inSchema = Object.keys(propertiesOf(schema)).sort();
  if (inPath.join() !== inSchema.join())
    throw new Error(`${method} ${path}: the path names [${inPath.join()}], its params schema [${inSchema.join()}]`);
  const numbers = namesOf(propertiesOf(schema), isWhole);
  const validate = schema && compileLater(schema, compileParameters);
  return (names: readonly string[], values: readonly string[]): unknown => {
    if (validate === undefined) return undefined;
    const params: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? '';
      const value = values[i] ?? '';
      if (numbers.has(name) && !isDigits(value)) throw invalid('path', [noDigits(name)]);
      params[name] = withoutNul('path', name, value);
    }
    const faults = validate(params);
    if (faults.length > 0) throw invalid('path', faults);
    return params;
  };
}

function queryParser({ anyQuery, query: schema, queryFaults }: Route) {
  const known = propertiesOf(schema);
  const numbers = namesOf(known, isWhole);
  const times = namesOf(known, isTime);
  const validate = schema && compileLater(schema, compileParameters);
  return (text: string): unknown => {
    if (validate === undefined && text === '') return undefined;
    const query: Record<string, unknown> = {};
    const unknown: string[] = [];
    const early: Fault[] = [];
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const cut = pair.indexOf('=');
      const written = cut < 0 ? pair : pair.slice(0, cut);
      // Such a page passes over what other sites add, whatever its encoding.
      if (anyQuery === true && !Object.hasOwn(known, written)) continue;
      const name = decode(written);
      if (!Object.hasOwn(known, name)) {
        unknown.push(name);
        continue;
      }
      if (Object.hasOwn(query, name))
        throw new PlatformError('invalid_parameter', `the query parameter ${name} appears twice; send it once`);
      const value = cut < 0 ? '' : pair.slice(cut + 1);
      // A time has no blanks: its `+` is the sign of an offset that was not escaped.
      const decoded = times.has(name) ? timeOf(decode(value.replaceAll('+', '%2B'))) : decode(value);
      query[name] = withoutNul('query', name, decoded);
      if (numbers.has(name) && !isDigits(decoded)) early.push(noDigits(name));
    }
    const faults = withMore(validate?.(query) ?? [], early);
    if (unknown.length > 0 || faults.length > 0)
      throw invalidQuery(unknown, withMore(faults, queryFaults?.(query) ?? []), { known, given: query });
    return validate && query;
  };
}

function bodyParser({ bodyFaults }: Route, schema: JsonSchema) {
  const validate = compileLater(schema, compileBody);
  return (value: unknown, caller?: Principal): unknown => {
    const broken = validate(value);
    if (broken.length === 0) return value;
    const faults = bodyFaults && isObject(value) ? withMore(broken, bodyFaults(value, caller)) : broken;
    const text = faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    throw new PlatformError('invalid_body', `the body does not fit: ${text}`, { errors: faults });
  };
}

type Parameters = Readonly<Record<string, JsonSchema>>;

function propertiesOf(schema: JsonSchema | undefined): Parameters {
  return (schema?.['properties'] ?? {}) as Parameters;
}

function namesOf(properties: Parameters, fits: (property: JsonSchema) => boolean): ReadonlySet<string> {
  return new Set(Object.keys(properties).filter((name) => fits(properties[name] ?? {})));
}

const isWhole = ({ type }: JsonSchema): boolean => type === 'integer';
const isTime = ({ format }: JsonSchema): boolean => format === 'date-time';

// A date without a time is the begin of that day in UTC.
function timeOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}

// The validator would also accept 1e1, 0x5, -Infinity and spaces, as Number() does.
function isDigits(value: string): boolean {
  return /^(0|-?[1-9]\d{0,15})$/.test(value);
}

function noDigits(name: string): Fault {
  return { pointer: `#/${name}`, detail: 'must be a whole number in decimal digits' };
}

const mostUnknown = 10;

interface AskedQuery {
  readonly known: Parameters;
  readonly given: Readonly<Record<string, unknown>>;
}

// Of a query, all unknown names and all faults are told at once.
function invalidQuery(unknown: readonly string[], faults: readonly Fault[], asked: AskedQuery): PlatformError {
  const { known } = asked;
  const told = faults.map((fault) => ({ ...fault, detail: withForm(fault, known) }));
  const [first] = unknown;
  if (first === undefined) return invalid('query', told);
  const names = unknown.slice(0, mostUnknown).map((name) => `unknown query parameter ${unknownName(name, asked)}`);
  const all = Object.keys(known).length === 0 ? [] : [`known are ${Object.keys(known).join(', ')}`];
  const others = told.map(({ pointer, detail }) => `query parameter ${pointer.slice(2)} ${detail}`);
  return new PlatformError('invalid_parameter', [...names, ...all, ...others].join('; '), {
    ...(told.length > 0 ? { errors: told } : {}),
  });
}

function unknownName(name: string, { known, given }: AskedQuery): string {
  const quoted = JSON.stringify(name.slice(0, 64));
  if (Object.keys(known).length === 0) return `${quoted}; the route has no query parameters`;
  const free = Object.keys(known).filter((one) => !Object.hasOwn(given, one) || known[one]?.['default'] !== undefined);
  const meant = meantName(name, free);
  return meant === undefined ? quoted : `${quoted}; did you mean ${meant}?${formOf(known[meant] ?? {})}`;
}

// Says what the value of a parameter is: only its name is known to be wrong.
function formOf({ description, examples, format }: JsonSchema): string {
  if (format === 'date-time') return ` It is ${dateOrTime}`;
  const example = Array.isArray(examples) ? `, e.g. ${String(examples[0])}` : '';
  return typeof description === 'string' ? ` It is: ${description}${example}` : '';
}

const dateOrTime = 'a date or a time (RFC 3339), such as 2026-01-31 or 2026-01-31T12:00:00Z';

// What a fault of the schema alone does not tell.
function withForm({ pointer, detail }: Fault, known: Parameters): string {
  const name = pointer.slice(2);
  if (known[name]?.['format'] === 'date-time') return `must be ${dateOrTime}`;
  if (name !== 'limit') return detail;
  if (Object.hasOwn(known, 'offset')) return `${detail}; with \`offset\` the next page begins where this one ends`;
  return Object.hasOwn(known, 'cursor')
    ? `${detail}; \`next_cursor\` of the answer is the \`cursor\` of the next page`
    : detail;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new PlatformError('invalid_parameter', 'the query contains invalid percent-encoding; encode it as UTF-8');
  }
}

function withoutNul(where: 'path' | 'query', name: string, value: string): string {
  if (value.includes('\0')) throw invalid(where, [{ pointer: `#/${name}`, detail: nulDetail }]);
  return value;
}

function invalid(where: 'path' | 'query', faults: readonly Fault[]): PlatformError {
  const text = faults.map(({ pointer, detail }) => `${pointer.slice(2)} ${detail}`).join('; ');
  return new PlatformError('invalid_parameter', `${where} parameter ${text}`, { errors: faults });
}

// What the route itself says of a place is clearer than what its schema says.
function withMore(faults: readonly Fault[], more: readonly Fault[]): readonly Fault[] {
  if (more.length === 0) return faults;
  const own = new Map(more.map((fault) => [fault.pointer, fault]));
  const places = new Set(faults.map(({ pointer }) => pointer));
  return [
    ...faults.map((fault) => own.get(fault.pointer) ?? fault),
    ...more.filter(({ pointer }) => !places.has(pointer)),
  ];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
