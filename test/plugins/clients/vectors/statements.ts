import rules from '../../../../plugins/clients/rules.json' with { type: 'json' };
import type { Shape, StatementKind } from '../../../../plugins/clients/statements.ts';
import { factParts, ownKinds, runStatement } from '../../../../plugins/receipts/contract.ts';

/** Makes the kinds of statements that every verifier knows, from the schemas of the receipts. */
export function statementShapes(): Readonly<Record<string, StatementKind>> {
  const { head, statementOf } = factParts;
  const any = statementOf({}, { type: 'object', required: Object.keys(head), properties: head });
  const known: readonly (readonly [string, Schema, readonly string[]])[] = [
    ['', any, []],
    ['run', runStatement, ['run_id']],
    ...[...ownKinds].map(([kind, { statement, subject }]) => [kind, statement, subject] as const),
  ];
  const rulesOf: Readonly<Record<string, readonly string[] | undefined>> = rules;
  return Object.fromEntries(
    known.map(([kind, schema, subject]) => [kind, { shape: shapeOf(schema), subject, rules: rulesOf[kind] ?? [] }]),
  );
}

type Schema = Readonly<Record<string, unknown>>;
type Word = string | number | undefined;

/** Writes a schema of a statement as a shape; throws for what no shape says, so that no rule is lost. */
function shapeOf({ description: _, title: __, $id: ___, type, ...words }: Schema): Shape {
  const { additionalProperties, properties, required = [], ...ofObject } = words;
  const { items, maxItems, minItems = 0, ...ofList } = words;
  const { maximum = Number.MAX_SAFE_INTEGER, minimum, ...ofInteger } = words;
  const { const: only, enum: some, pattern, minLength, ...ofText } = words as Readonly<Record<string, Word>>;
  const isPlain = (others: object): boolean => Object.keys(others).length === 0;
  if (type === 'object' && isPlain(ofObject)) {
    const members = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, schema]) => {
      const isNeeded = (required as readonly string[]).includes(name);
      return [isNeeded ? name : `?${name}`, shapeOf(schema)] as const;
    });
    return Object.fromEntries([...members, ...(additionalProperties === false ? [] : [['*', 'any'] as const])]);
  }
  if (type === 'array' && isPlain(ofList)) {
    const item = shapeOf(items as Schema);
    return maxItems === undefined ? [item, minItems as number] : [item, minItems as number, maxItems as number];
  }
  if (type === 'integer' && isPlain(ofInteger)) return `${String(minimum)}..${String(maximum)}`;
  if (type === 'boolean' && isPlain(words)) return 'boolean';
  const said = [only, some, pattern, minLength].filter((one) => one !== undefined);
  if (!isPlain(ofText) || said.length > 1) throw new Error(`no shape says ${JSON.stringify({ type, ...words })}`);
  if (only !== undefined) return `=${only}`;
  if (Array.isArray(some)) return `|${some.join('|')}`;
  if (pattern !== undefined) return `${pattern}`;
  return minLength === 1 ? 'text' : 'any';
}
