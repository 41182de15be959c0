import { canonical, type JsonSchema, type Scopes } from '../../../kernel/index.ts';
import type { FactKind, FactOwner } from '../format/fact-kind.ts';
import { head } from '../format/schema-parts.ts';
import { schemaFault } from '../format/schema.ts';
import { isOwnKind } from './kind.ts';

/** Lists faults of the kinds of facts that plugins declare, e.g. a taken name, a schema no verifier can check. */
export function kindFaults(owners: readonly FactOwner[]): string[] {
  const declared = new Map<string, { readonly owner: string; readonly text: string }>();
  return owners.flatMap(({ name, facts }) =>
    facts.flatMap((fact) => {
      const path = `plugins.${name}: the kind of fact ${fact.kind}`;
      const text = canonical(fact);
      const other = declared.get(fact.kind);
      declared.set(fact.kind, other ?? { owner: name, text });
      if (isOwnKind(fact.kind)) return [`${path} belongs to the kernel`];
      // Two plugins may declare the same kind, e.g. when both attest it, but not two different kinds under one name.
      if (other !== undefined && other.text !== text)
        return [`${path} is declared otherwise by plugins.${other.owner}`];
      return faultsOf(fact).map((fault) => `${path} ${fault}`);
    }),
  );
}

/**
 * Lists undeclared scopes named by kinds from outside the program: mistyped, or of a plugin that was left out.
 * No key can have such a scope, so none reads the receipts of the kind by it.
 */
export function strangeScopes(owners: readonly FactOwner[], known: Scopes): string[] {
  return owners.flatMap(({ external, name, facts }) => {
    const named = facts.flatMap(({ kind, scopes }) => scopes.map((scope) => [kind, scope] as const));
    return named
      .filter(([, scope]) => external === true && !Object.hasOwn(known, scope))
      .map(
        ([kind, scope]) => `plugins.${name}: the kind of fact ${kind} names the scope ${scope}, which nothing declares`,
      );
  });
}

function faultsOf({ kind, predicate, rules }: FactKind): string[] {
  const schemas = rules.flatMap((rule) => ('must' in rule ? [rule.must, rule.when ?? []].flat() : []));
  return [
    ...(/^[a-z]{2,32}$/.test(kind) ? [] : ['is not named with two to thirty-two small letters']),
    ...alternatives(predicate).flatMap(predicateFaults),
    ...[predicate, ...schemas].flatMap((schema) => schemaFault(schema) ?? []),
  ];
}

function alternatives(predicate: JsonSchema): readonly JsonSchema[] {
  return Array.isArray(predicate['anyOf']) ? (predicate['anyOf'] as readonly JsonSchema[]) : [predicate];
}

function predicateFaults({ additionalProperties, properties = {}, required, type }: JsonSchema): string[] {
  const ours = [...Object.keys(head), 'at'].find((name) => Object.hasOwn(properties as object, name));
  return [
    ...(type === 'object' && additionalProperties === false ? [] : ['is not a closed object']),
    ...(Array.isArray(required) && required.includes('facts') ? [] : ['does not require the member facts']),
    ...(ours === undefined ? [] : [`declares ${ours}, which every fact has`]),
  ];
}
