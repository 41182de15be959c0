import { meantName, similarTo } from '../text/similar.ts';

/** Points at one invalid value: JSON Pointer as a URI fragment (`#/inputs/to`, RFC 9457 §3) and what to do. */
export interface Fault {
  pointer: string;
  detail: string;
}

type Values = Readonly<Record<string, unknown>>;

/** What ajv tells of a fault. */
interface SchemaError {
  readonly keyword: string;
  readonly params: Values;
  readonly instancePath: string;
  readonly message?: string;
  /** The value of the keyword, and the schema that it stands in. */
  readonly schema?: unknown;
  readonly parentSchema?: Values;
  readonly data?: unknown;
  /** Set when a name of a member is at fault. */
  readonly propertyName?: string;
}

const mostFaults = 32;
// Each fault repeats the names of the members that it is in, which may be as long as the body.
const mostTold = 64 * 1024;

/** Says in words why a value does not fit its schema: 1 to 32 faults. `texts`: patterns and formats in words. */
export function schemaFaults(errors: readonly SchemaError[], texts: ReadonlyMap<unknown, string>): readonly Fault[] {
  const faults: Fault[] = [];
  let told = 0;
  for (const error of unknownFirst(errors).slice(0, mostFaults)) {
    if (told > mostTold) break;
    const fault = schemaFault(error, texts);
    told += fault.pointer.length + fault.detail.length;
    faults.push(fault);
  }
  return faults;
}

// Members that the schema does not know come first: they show best what the writer had in mind.
function unknownFirst<E extends Pick<SchemaError, 'params'>>(errors: readonly E[]): readonly E[] {
  const isUnknown = ({ params }: E): boolean =>
    params['additionalProperty'] !== undefined || params['unevaluatedProperty'] !== undefined;
  return [...errors.filter(isUnknown), ...errors.filter((error) => !isUnknown(error))];
}

// The place is a JSON Pointer with `#` (RFC 6901 §6).
function schemaFault(error: SchemaError, texts: ReadonlyMap<unknown, string>): Fault {
  const { instancePath, keyword, propertyName } = error;
  const values = error.params;
  const pointer = `#${instancePath}`;
  const member = (name: unknown): string => `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (keyword === 'required' || keyword === 'dependentRequired') {
    const { missingProperty, property } = values;
    const why =
      property === undefined
        ? `is required${exampleOf(error.parentSchema, missingProperty)}`
        : `is required together with \`${textOf(property)}\``;
    return { pointer: member(missingProperty), detail: why };
  }
  const unknown = values['additionalProperty'] ?? values['unevaluatedProperty'];
  if (unknown !== undefined) return { pointer: member(unknown), detail: unknownMember(textOf(unknown), error) };
  const where = propertyName === undefined ? pointer : member(propertyName);
  return { pointer: where, detail: detailOf(error, values, texts) };
}

function detailOf(error: SchemaError, values: Values, texts: ReadonlyMap<unknown, string>): string {
  const { keyword, message, parentSchema } = error;
  if (keyword in bounds) return bounds[keyword as keyof typeof bounds](Number(values['limit']), error.data);
  switch (keyword) {
    case 'enum':
      return oneOf(values['allowedValues'] as readonly unknown[], error.data) + meaningOf(parentSchema);
    case 'const':
      return `must be ${JSON.stringify(values['allowedValue'])}`;
    case 'type':
      return `must be ${[values['type']].flat().map(typeInWords).join(' or ')}${firstExample(parentSchema)}`;
    case 'pattern':
    case 'format':
      return likeExample(parentSchema) ?? texts.get(values['pattern'] ?? values['format']) ?? inForm(values);
    case 'multipleOf':
      return `must be a multiple of ${String(values['multipleOf'])}`;
    case 'uniqueItems':
      return 'must not contain an item twice';
    case 'propertyNames':
      return `must not have a member with the name ${JSON.stringify(values['propertyName'])}`;
    case 'anyOf':
    case 'oneOf':
      return formsOf(error, values);
    case 'not':
      return textOf((error.schema as Values)['description'] ?? 'is not allowed here');
    case 'false schema':
      return 'is not allowed here';
    default:
      return message ?? 'is invalid';
  }
}

function oneOf(allowed: readonly unknown[], data: unknown): string {
  if (allowed.length === 1) return `must be ${JSON.stringify(allowed[0])}`;
  const words = allowed.slice(0, mostListed).map(String);
  const meant = typeof data === 'string' ? similarTo(data, words) : undefined;
  return `must be one of ${listed(allowed)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

// Words may need an explanation: what does `test` do?
function meaningOf(schema: Values | undefined): string {
  const description = schema?.['description'];
  return typeof description === 'string' ? `. ${description}` : '';
}

function formsOf({ schema }: SchemaError, { passingSchemas }: Values): string {
  const all = `of the ${(schema as readonly unknown[]).length} forms that are allowed here`;
  return Array.isArray(passingSchemas) ? `has more than one ${all}` : `has none ${all}`;
}

const count = (limit: number, one: string, more: string): string => `${limit} ${limit === 1 ? one : more}`;
// Characters of a text of a megabyte are not counted to tell that there are too many.
const lengthOf = (value: unknown): string =>
  typeof value === 'string' && value.length <= mostCounted ? `; it has ${[...value].length}` : '';
const mostCounted = 10_000;
const atLeast = (limit: number, one: string, more: string): string =>
  limit === 1 ? 'must not be empty' : `must have at least ${count(limit, one, more)}`;
const atMost = (limit: number, one: string, more: string): string => `must have at most ${count(limit, one, more)}`;
const bounds = {
  minLength: (limit: number, value: unknown) =>
    atLeast(limit, 'character', 'characters') + (limit === 1 ? '' : lengthOf(value)),
  maxLength: (limit: number, value: unknown) => atMost(limit, 'character', 'characters') + lengthOf(value),
  minItems: (limit: number) => atLeast(limit, 'item', 'items'),
  maxItems: (limit: number) => atMost(limit, 'item', 'items'),
  minProperties: (limit: number) => atLeast(limit, 'member', 'members'),
  maxProperties: (limit: number) => atMost(limit, 'member', 'members'),
  minimum: (limit: number) => `must be ${limit} or more`,
  maximum: (limit: number) => `must be ${limit} or less`,
  exclusiveMinimum: (limit: number) => `must be more than ${limit}`,
  exclusiveMaximum: (limit: number) => `must be less than ${limit}`,
} as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function typeInWords(type: unknown): string {
  if (type === 'boolean') return 'true or false';
  if (type === 'null') return 'null';
  return `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`;
}

function unknownMember(name: string, { data, parentSchema, schema }: SchemaError): string {
  const known = parentSchema?.['properties'] ?? (schema as Values | undefined)?.['properties'] ?? {};
  const given = typeof data === 'object' && data !== null ? data : {};
  // A default was filled in by the validator.
  const free = Object.entries(known as Members).flatMap(([one, rule]) =>
    Object.hasOwn(given, one) && rule?.['default'] === undefined ? [] : one,
  );
  const meant = meantName(name, free);
  if (meant === undefined) return 'is not a known field; remove it';
  return `is not a known field; did you mean \`${meant}\`?${formOf((known as Members)[meant])}`;
}

type Members = Readonly<Record<string, Values | undefined>>;

// An example of the member that was meant, or its few values: only its name is known to be wrong.
function formOf(schema: Values | undefined): string {
  const { enum: values, format, properties } = schema ?? {};
  const example = firstExample(schema);
  if (example !== '') return ` Example: ${example.slice(', e.g. '.length)}`;
  if (Array.isArray(values) && values.length <= mostValues) return ` It is one of ${values.map(String).join(', ')}`;
  if (format === 'date-time' || schema?.['utcTime'] === true) return ' Example: 2026-01-31T12:00:00Z';
  const members = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return members.length === 0 ? '' : ` It is an object with ${members.slice(0, mostValues).join(', ')}`;
}

// A wrong value is told in each of many faults, and a schema may allow thousands of values.
function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, mostListed).map(textOf).join(', ');
  return values.length > mostListed ? `${shown}, … (${values.length} in all)` : shown;
}

const mostListed = 100;

// What a member that is missing may be: an example of it, or its few values.
function exampleOf(parent: Values | undefined, name: unknown): string {
  const members = parent?.['properties'] as Members | undefined;
  const schema = members?.[String(name)];
  const { enum: values } = schema ?? {};
  const example = firstExample(schema);
  if (example !== '') return example;
  return Array.isArray(values) && values.length <= mostValues ? `: one of ${listed(values)}` : '';
}

function firstExample(schema: Values | undefined): string {
  const examples = schema?.['examples'];
  return Array.isArray(examples) && examples.length > 0 ? `, e.g. ${textOf(examples[0])}` : '';
}

const mostValues = 15;

// One value that fits a long pattern is clearer to a reader than the pattern.
function likeExample(schema: Values | undefined): string | undefined {
  const examples = schema?.['examples'];
  return Array.isArray(examples) && typeof examples[0] === 'string' ? `must be written like ${examples[0]}` : undefined;
}

function inForm({ format, pattern }: Values): string {
  return pattern === undefined
    ? `must have the format ${textOf(format)}`
    : `does not match the pattern of its schema: ${textOf(pattern)}`;
}
