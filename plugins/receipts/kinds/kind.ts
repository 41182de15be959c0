import type { OtherPredicate } from './predicate.ts';
import type { JsonSchema } from '../../../kernel/index.ts';
import { incidentRules, incidentStatement } from './incident.ts';
import { keyRules, keyStatement } from './key.ts';
import { namespaceRules, namespaceStatement } from './namespace.ts';
import { resolutionStatement } from './resolution.ts';
import type { Rules } from './rule.ts';
import { standingRules, standingStatement } from './standing.ts';
import { swapStatement } from './swap.ts';

/** Kinds of facts that are attested, each with a predicate type of its own. */
export const kinds = ['run', 'resolution', 'swap', 'incident', 'standing', 'namespace', 'key'] as const;
/** One of the kinds. */
export type Kind = (typeof kinds)[number];

/** Names the predicate type of a kind: `urn:agent-orb:run:v1`. */
export function predicateType<K extends Kind>(kind: K): `urn:agent-orb:${K}:v1` {
  return `urn:agent-orb:${kind}:v1`;
}

/** What is particular to a kind of fact other than a run. */
export interface OtherKind {
  /** Schema of its statement. */
  readonly statement: JsonSchema;
  /** The member of the predicate, or else of its facts, that names what it is about; names the one subject. */
  readonly id: readonly [string, ...string[]];
  /** Scopes that read its receipts when they are the installation's own (no tenant); `*` always does. */
  readonly scopes: readonly string[];
  /** It belongs in the chain of its Orbiset. */
  readonly chained?: true;
  /** What its members must agree in, before it is signed and whenever it is read. */
  readonly rules?: (predicate: OtherPredicate) => Rules;
}

/** The kinds this program attests beside the run, one row each. */
export const otherKinds: { readonly [K in Kind]?: OtherKind } = {
  swap: { statement: swapStatement, id: ['swap_id'], scopes: ['providers:swap', 'providers:read'] },
  resolution: { statement: resolutionStatement, id: ['run_id'], scopes: [], chained: true },
  incident: { statement: incidentStatement, id: ['incident_id'], scopes: ['incidents:read'], rules: incidentRules },
  standing: {
    statement: standingStatement,
    id: ['orb_id', 'day'],
    scopes: ['reputation:suspend'],
    rules: standingRules,
  },
  namespace: { statement: namespaceStatement, id: ['namespace'], scopes: [], rules: namespaceRules },
  key: { statement: keyStatement, id: ['kid'], scopes: ['signing-keys:manage'], rules: keyRules },
};

/** Names what a statement other than a run's is about: the name of its one subject. */
export function subjectName({ id }: OtherKind, predicate: OtherPredicate): string {
  const found = id.map((member) => predicate[member] ?? predicate.facts[member]).find((value) => value !== undefined);
  return typeof found === 'string' ? found : '';
}

/** Reads the kind out of a predicate type of ours; undefined when it is none. */
export function kindOf(predicateType: unknown): string | undefined {
  return typeof predicateType === 'string' ? /^urn:agent-orb:([a-z]+):v1$/.exec(predicateType)?.[1] : undefined;
}

/** Finds what is particular to a kind; undefined for a run and for a kind this program does not know. */
export function otherKind(kind: string | undefined): OtherKind | undefined {
  return kind !== undefined && Object.hasOwn(otherKinds, kind) ? otherKinds[kind as Kind] : undefined;
}
