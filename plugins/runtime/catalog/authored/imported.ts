import { authoredCompiler, type CompileAuthored } from './schema.ts';
import type { Dialect } from '../../../../kernel/runner.ts';
import type { JsonSchema } from '../../../../kernel/index.ts';

const dialects = new Map<unknown, Dialect>([
  [undefined, '2020-12'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft-07/schema', 'draft-07'],
]);

const both = [
  ...['$ref', '$defs', 'definitions', 'type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum'],
  ...['exclusiveMinimum', 'maxLength', 'minLength', 'pattern', 'items', 'maxItems', 'minItems', 'uniqueItems'],
  ...['contains', 'maxProperties', 'minProperties', 'required', 'properties', 'patternProperties', 'propertyNames'],
  ...['additionalProperties', 'dependencies', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'not'],
  // Not checked: they are refused by name.
  ...['$id', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$async', '$work'],
];
const keywords: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  '2020-12': new Set([
    ...both,
    ...['prefixItems', 'maxContains', 'minContains', 'dependentRequired', 'dependentSchemas'],
    ...['unevaluatedItems', 'unevaluatedProperties'],
  ]),
  'draft-07': new Set([...both, 'additionalItems']),
};

/**
 * Makes the compiler of schemas that a manifest took over from a provider, with the limits of authored ones. They are
 * read in their own dialect: keywords that it does not have, and formats, are annotations; no default is filled in.
 */
export function importedCompiler(): CompileAuthored {
  return authoredCompiler({ dialectOf, prepare: dropAnnotations, lenient: true });
}

function dialectOf({ $schema }: JsonSchema): Dialect {
  const dialect = dialects.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
  if (dialect !== undefined) return dialect;
  throw new Error('the dialect is neither JSON Schema 2020-12 nor draft-07');
}

// ajv gives some of them a meaning of its own, such as `nullable`, `id` or `discriminator`.
function dropAnnotations(place: Record<string, unknown>, dialect: Dialect): void {
  for (const keyword of Object.keys(place)) if (!keywords[dialect].has(keyword)) delete place[keyword];
}
