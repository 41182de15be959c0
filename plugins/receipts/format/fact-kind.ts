import type { Decision, FactOwner as Owner, Infer, JsonSchema } from '../../../kernel/index.ts';

/**
 * A rule that the members of a fact follow beside their schema. It is data, so that a verifier can check it without the
 * plugin's code. A path names members of the predicate, such as `facts.logs.*.origin`; `*` means every item.
 */
export type FactRule = {
  /** Message for a fact that breaks the rule. */
  readonly fault: string;
} & (
  | {
      /** A predicate that fits this (none: any predicate) … */
      readonly when?: JsonSchema;
      /** … must fit this. */
      readonly must: JsonSchema;
    }
  | {
      /** Every text at the first path has this relation to the text at the second; an absent member breaks nothing. */
      readonly compare: readonly [
        path: string,
        relation: 'equals' | 'differs' | 'not_after' | 'begins_with',
        other: string,
      ];
    }
  | {
      /** No two texts at this path are the same. */
      readonly unique: string;
    }
);

/** A kind of fact that a plugin attests, as data. It never changes once attested: another shape is another kind. */
export interface FactKind<Name extends string = string, Predicate extends JsonSchema = JsonSchema> {
  /** Small letters; the predicate type of its statements is `urn:agent-orb:<kind>:v1`. */
  readonly kind: Name;
  /**
   * Schema of the predicate without its head (receipt_id, log, issuer, non_claims) and `at`: an object, or `anyOf` of
   * objects, each closed and with the member `facts`. One that requires `tenant` belongs to that tenant.
   */
  readonly predicate: Predicate;
  /** Members of the predicate, or else of its facts; the first that is there names what the fact is about. */
  readonly subject: readonly [string, ...string[]];
  /** Scopes that read and list its receipts when they belong to no tenant; `*` always does. */
  readonly scopes: readonly string[];
  readonly rules: readonly FactRule[];
}

/**
 * Defines a kind of fact, e.g. `defineFact({ kind: 'watch', predicate: {…}, subject: ['watch_id'], scopes:
 * ['watches:read'] })`.
 */
export function defineFact<const Name extends string, const Predicate extends JsonSchema>(
  definition: Omit<FactKind<Name, Predicate>, 'rules'> & { readonly rules?: readonly FactRule[] },
): FactKind<Name, Predicate> {
  return Object.freeze({ ...definition, rules: definition.rules ?? [] });
}

/** A plugin that declares kinds of facts. Only plugins that declare a kind attest it, and all declare it alike. */
export interface FactOwner extends Owner {
  readonly facts: readonly FactKind[];
}

/** The facts of a kind, as its plugin attests them; `policy` is made of the decision. */
export type FactOf<K> =
  K extends FactKind<infer Name, infer Predicate>
    ? Written<Frozen<Infer<Predicate>>> & { readonly kind: Name; readonly at: string; readonly decision?: Decision }
    : never;

type Written<T> = T extends { readonly facts: infer Facts }
  ? Omit<T, 'facts'> & { readonly facts: WithoutPolicy<Facts> }
  : never;
type WithoutPolicy<T> = T extends unknown ? Omit<T, 'policy'> : never;
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Frozen<T[Member]> }
    : T;
