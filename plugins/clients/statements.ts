import kinds from './statements.json' with { type: 'json' };

/**
 * The shape of a JSON value: `{name: shape}` of an object (`?name`: it may be absent; `*`: others, too), `[shape, least, most]`
 * of a list, `^…` a text that fits this expression, `=…` this text, `|a|b` one of these, `text` one that is not empty,
 * `1..9` a whole number, `boolean`, `any`.
 */
export type Shape = string | readonly [Shape, number?, number?] | { readonly [name: string]: Shape };

/**
 * A kind of statement: its shape, the members that may name its subject, and rules of its predicate. One of the conditions of
 * a rule must hold: `path` is there, `!path` is not there, `path=text`, `path!=text`, and `@path` for the text there.
 */
export interface StatementKind {
  readonly shape: Shape;
  readonly subject: readonly string[];
  readonly rules: readonly string[];
}

/** Reads the kinds of statements that every verifier knows, by their name; the empty name is any other of this program. */
export function statementKinds(): Readonly<Record<string, StatementKind>> {
  return kinds as unknown as Readonly<Record<string, StatementKind>>;
}
