import type { OrbManifest } from '../../runtime/contract.ts';

/** The assumed effect of a tool, and the reason. */
export interface Assumed extends Pick<OrbManifest, 'effect' | 'action_class'> {
  readonly why: string;
}

const verbs: readonly (readonly [OrbManifest['action_class'], RegExp])[] = [
  ['read', /^(?:get|list|search|read|find|fetch|query|describe|show|count|lookup)$/],
  ['delete', /^(?:delete|remove|drop|destroy|purge)$/],
  ['notify', /^(?:send|post|notify)$/],
  ['payment', /^(?:pay|charge|refund)$/],
  ['execute', /^(?:run|exec|execute)$/],
];

/**
 * Assumes the worst of a tool, unless the operator trusts the annotations that its server gives; anybody may write
 * those. The class of the action is guessed from the verb of the name.
 */
export function assumedOf(
  name: string,
  annotations: unknown,
  { trustAnnotations }: { readonly trustAnnotations: boolean },
): Assumed {
  const [verb = ''] = name.split('-');
  const action_class = verbs.find(([, pattern]) => pattern.test(verb))?.[0] ?? 'write';
  const hints = hintsOf(annotations);
  if (!trustAnnotations) return { effect: 'irreversible', action_class, why: 'nothing proves less' };
  if (hints.readOnlyHint === true) return { effect: 'none', action_class, why: 'readOnlyHint, trusted' };
  if (hints.idempotentHint === true) return { effect: 'idempotent', action_class, why: 'idempotentHint, trusted' };
  if (hints.destructiveHint === false) return { effect: 'reversible', action_class, why: 'destructiveHint, trusted' };
  return { effect: 'irreversible', action_class, why: 'no annotation says less' };
}

/** Says whether the server calls a tool read-only; the annotations are part of the definition that is pinned. */
export function isReadOnly(annotations: unknown): boolean {
  return hintsOf(annotations).readOnlyHint === true;
}

function hintsOf(annotations: unknown): Hints {
  return typeof annotations === 'object' && annotations !== null ? annotations : {};
}

interface Hints {
  readonly readOnlyHint?: unknown;
  readonly idempotentHint?: unknown;
  readonly destructiveHint?: unknown;
}
