import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FromSchema, JSONSchema as AnySchema } from 'json-schema-to-ts';
import type { Fault } from '../error.ts';

/** A JSON Schema (2020-12) constant, kept loose: ajv's strict mode does the real check. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The type of the values a schema constant accepts. */
export type Infer<S> = S extends AnySchema ? FromSchema<S> : never;

/** Validates a value: an empty list means it fits; defaults are filled in place. */
export type Validator = (value: unknown) => readonly Fault[];

const shared = {
  strict: true,
  strictRequired: false,
  strictTypes: false,
  useDefaults: true,
  allErrors: true,
  validateFormats: true,
  // Faults know the schema they broke, for its examples.
  verbose: true,
};
const exact = new Ajv2020(shared);
const coercing = new Ajv2020({ ...shared, coerceTypes: true });

for (const ajv of [exact, coercing]) extend(ajv);

function extend(ajv: Ajv2020): Ajv2020 {
  // Marks a configuration value that must come from {"$env"} or {"$file"} and is redacted in logs.
  ajv.addKeyword({ keyword: 'secret', schemaType: 'boolean' });
  ajv.addFormat(
    'date-time',
    (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && isOfCalendar(`${text.slice(0, 19)}Z`),
  );
  ajv.addFormat('date', (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isOfCalendar(`${text}T00:00:00Z`));
  return ajv;
}

// Date.parse takes the 31st of any month, and hour 24, for a moment of the next day.
function isOfCalendar(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, -1));
}

/**
 * Text of one line that shows what it holds: no control, bidirectional or line-separating characters, which hide or turn
 * around what stands beside them. Controls are written out: not every engine of regular expressions knows `\p{Cc}`.
 */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]*$';

/**
 * Compiles a schema for bodies, manifests and configuration: types are taken as they are.
 * Throws when the schema itself is wrong (ajv strict mode).
 */
export function compile(schema: JsonSchema): Validator {
  return compiled(schema, exact, exactValidators);
}

/**
 * Compiles a schema that an author of Orbs wrote, in a compiler of its own: what it names means nothing to other schemas,
 * and nothing of it is kept when the Orb goes. Throws when the schema itself is wrong.
 */
export function compileAlone(schema: JsonSchema): Validator {
  // Its validator would answer promises, which count as true, and reject outside of any request.
  if (schema['$async'] !== undefined) throw new Error('$async is not allowed');
  void exact.validateSchema(schema, true);
  // The schema was checked just now; without the dialect's own schemas a compiler costs next to nothing. A definition that
  // is referred to a thousand times is compiled once: a copy at each place would take gigabytes.
  const lean = { meta: false, validateSchema: false, inlineRefs: false };
  return validator(extend(new Ajv2020({ ...shared, ...lean })).compile(schema));
}

/** Compiles a schema that ships when it is first used: hundreds of them would be a fifth of a second at each start. */
export function compileLater(schema: JsonSchema, how: (schema: JsonSchema) => Validator = compile): Validator {
  let made: Validator | undefined;
  return (value) => (made ??= how(schema))(value);
}

/** Compiles a schema for path and query parameters: text is coerced to the schema's types in place. */
export function compileParameters(schema: JsonSchema): Validator {
  return compiled(schema, coercing, coercingValidators);
}

// By the text of the schema: ajv never forgets what it has compiled, and the same Orb may be published again and again.
const exactValidators = new Map<string, Validator>();
const coercingValidators = new Map<string, Validator>();

function compiled(schema: JsonSchema, ajv: Ajv2020, known: Map<string, Validator>): Validator {
  const plain = withoutId(schema);
  const text = JSON.stringify(plain);
  const found = known.get(text);
  if (found !== undefined) return found;
  try {
    const made = validator(ajv.compile(plain));
    known.set(text, made);
    return made;
  } finally {
    ajv.removeSchema(plain);
  }
}

// `$id` names the OpenAPI component; ajv would take it as a global address and refuse it twice.
function withoutId({ $id: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

const noFaults: readonly Fault[] = Object.freeze([]);

function validator(validate: ValidateFunction): Validator {
  return (value) => (validate(value) ? noFaults : (validate.errors ?? []).slice(0, 32).map(fault));
}

function fault({ keyword, params, instancePath, message, parentSchema }: ErrorObject): Fault {
  const values = params as Readonly<Record<string, unknown>>;
  const pointer = `#${instancePath}`;
  const property = (name: unknown): string => `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  switch (keyword) {
    case 'required':
      return { pointer: property(values['missingProperty']), detail: 'is required' };
    case 'additionalProperties':
      return { pointer: property(values['additionalProperty']), detail: 'is not a known field; remove it' };
    case 'enum':
      return {
        pointer,
        detail: `must be one of ${(values['allowedValues'] as readonly unknown[]).map(String).join(', ')}`,
      };
    case 'const':
      return { pointer, detail: `must be ${JSON.stringify(values['allowedValue'])}` };
    case 'pattern':
      return { pointer, detail: likeExample(parentSchema) ?? message ?? 'is invalid' };
    default:
      return { pointer, detail: message ?? 'is invalid' };
  }
}

// A long pattern tells a reader less than one value that fits it.
function likeExample(schema: JsonSchema | undefined): string | undefined {
  const examples = schema?.['examples'];
  return Array.isArray(examples) && typeof examples[0] === 'string' ? `must be written like ${examples[0]}` : undefined;
}
