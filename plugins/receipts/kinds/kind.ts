import type { JsonSchema } from '../../../kernel/index.ts';
import type { FactKind, FactOwner } from '../format/fact-kind.ts';
import { head, statementOf, time } from '../format/schema-parts.ts';
import { keyPredicate, keyRules } from './key.ts';
import type { OtherPredicate } from './predicate.ts';
import { resolutionPredicate } from './resolution.ts';
import { applyRules, type Rules } from './rule.ts';
import { swapPredicate } from './swap.ts';

/** Names the predicate type of a kind: `urn:agent-orb:run:v1`. */
export function predicateType<K extends string>(kind: K): `urn:agent-orb:${K}:v1` {
  return `urn:agent-orb:${kind}:v1`;
}

/** Reads the kind from a predicate type of this program; undefined when it is none. */
export function kindOf(predicateType: unknown): string | undefined {
  return typeof predicateType === 'string' ? /^urn:agent-orb:([a-z]+):v1$/.exec(predicateType)?.[1] : undefined;
}

/** The properties of a kind of fact other than a run. */
export interface OtherKind {
  /** Schema of its statement. */
  readonly statement: JsonSchema;
  /** The member of the predicate, or else of its facts, that gives the name of the one subject. */
  readonly subject: readonly [string, ...string[]];
  /** Scopes that read its receipts when they are the installation's own (no tenant); `*` always does. */
  readonly scopes: readonly string[];
  /** It belongs in the chain of its Orbiset. */
  readonly chained?: true;
  /** Rules between its members, checked before signing and on every read. */
  readonly rules?: (predicate: OtherPredicate) => Rules;
}

/** Kinds other than the run, by name. */
export type Kinds = ReadonlyMap<string, OtherKind>;

const kernelKinds = [
  kind('resolution', resolutionPredicate, { subject: ['run_id'], scopes: [], chained: true }),
  kind('swap', swapPredicate, { subject: ['swap_id'], scopes: ['providers:swap', 'providers:read'] }),
];
const receiptsKinds = [
  kind('key', keyPredicate, { subject: ['kid'], scopes: ['signing-keys:manage'], rules: keyRules }),
];
/** The kinds that every verifier knows. */
export const ownKinds: Kinds = new Map([...kernelKinds, ...receiptsKinds]);

/** Says whether a kind belongs to the kernel or to receipts: no plugin may declare it. */
export function isOwnKind(kind: string): boolean {
  return kind === 'run' || ownKinds.has(kind);
}

const known = new WeakMap<readonly FactKind[], Kinds>();

/** Adds the kinds that plugins declare to the program's own; computed once for each list. */
export function kindsWith(declared: readonly FactKind[] | undefined): Kinds {
  if (declared === undefined) return ownKinds;
  const found = known.get(declared);
  if (found !== undefined) return found;
  const theirs = declared.map(({ kind: name, predicate, rules, scopes, subject }) =>
    kind(name, predicate, { subject, scopes, rules: (given) => applyRules(rules, given) }),
  );
  const made = new Map([...kernelKinds, ...theirs, ...receiptsKinds]);
  known.set(declared, made);
  return made;
}

function kind(name: string, predicate: JsonSchema, particular: Omit<OtherKind, 'statement'>): [string, OtherKind] {
  const statement = statementOf({ const: predicateType(name) }, withHead(predicate));
  return [name, { statement, ...particular }];
}

function withHead(predicate: JsonSchema): JsonSchema {
  const { anyOf, properties, required } = predicate;
  if (Array.isArray(anyOf)) return { anyOf: (anyOf as readonly JsonSchema[]).map(withHead) };
  return {
    ...predicate,
    required: [...Object.keys(head), 'at', ...((required ?? []) as readonly string[])],
    properties: { ...head, at: time, ...(properties as JsonSchema) },
  };
}

/** Lists each declared kind once. */
export function declaredKinds(owners: readonly FactOwner[]): readonly FactKind[] {
  return [...new Map(owners.flatMap(({ facts }) => facts.map((kind) => [kind.kind, kind] as const))).values()];
}

/** Answers the name of the one subject of a statement other than a run's. */
export function subjectName({ subject }: OtherKind, predicate: OtherPredicate): string {
  const found = subject
    .map((member) => predicate[member] ?? predicate.facts[member])
    .find((value) => value !== undefined);
  return typeof found === 'string' ? found : '';
}
