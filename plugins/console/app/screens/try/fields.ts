import { isRecord, typedOf, valueOf, type FormSchema, type Typed } from '../../parts/form/schema.ts';

/** Types inputs into the fields of a schema; undefined: they cannot hold all of them. */
export function fieldsOf(schema: FormSchema, inputs: Readonly<Record<string, unknown>>): Typed | undefined {
  const typed = typedOf(schema, inputs);
  return holdsAll(valueOf(schema, typed).value, inputs) ? typed : undefined;
}

function holdsAll(read: unknown, value: unknown): boolean {
  if (!isRecord(read) || !isRecord(value)) return JSON.stringify(read) === JSON.stringify(value);
  return Object.entries(value).every(([name, one]) => holdsAll(read[name], one));
}
