import type { FactRule } from '../format/fact-kind.ts';
import { findMisfit } from '../format/schema.ts';

/** Rules that a schema cannot express: members that must agree. The first violated rule is the fault. */
export type Rules = readonly (readonly [agrees: boolean, fault: string])[];

/** Applies the rules that a plugin declares to a predicate. */
export function applyRules(rules: readonly FactRule[], predicate: object): Rules {
  return rules.map((rule) => [agrees(rule, predicate), rule.fault]);
}

function agrees(rule: FactRule, predicate: object): boolean {
  if ('must' in rule) {
    const concerned = rule.when === undefined || findMisfit(rule.when, predicate) === undefined;
    return !concerned || findMisfit(rule.must, predicate) === undefined;
  }
  if ('unique' in rule) {
    const found = membersAt(rule.unique, predicate);
    return new Set(found).size === found.length;
  }
  const [path, relation, otherPath] = rule.compare;
  const [other] = membersAt(otherPath, predicate);
  return other === undefined || membersAt(path, predicate).every((text) => relations[relation](text, other));
}

type Relation = Extract<FactRule, { readonly compare: unknown }>['compare'][1];

// Times in the same format can be compared as text.
const relations: Readonly<Record<Relation, (text: string, other: string) => boolean>> = {
  equals: (text, other) => text === other,
  differs: (text, other) => text !== other,
  not_after: (text, other) => text <= other,
  begins_with: (text, other) => text.startsWith(other),
};

/** Lists the texts at a path; `*` means every item of a list. */
function membersAt(path: string, predicate: object): readonly string[] {
  const found = path
    .split('.')
    .reduce<readonly unknown[]>((values, name) => values.flatMap((value) => stepInto(value, name)), [predicate]);
  return found.filter((value) => typeof value === 'string');
}

function stepInto(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return name === '*' ? value : [];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return [(value as Readonly<Record<string, unknown>>)[name]];
}
