import { PlatformError } from '../../kernel/index.ts';
import { sha256 } from './revision.ts';
import type { Draft } from './draft.ts';

/** Which draft a caller expects there to be; absent members expect nothing. */
export interface DraftCondition {
  /** If-Match: a tag, or `*`. */
  readonly match?: string;
  /** If-None-Match: `*`, no draft. */
  readonly none?: string;
}

type Content = Pick<Draft, 'source' | 'tests'>;

/** Computes the tag of a draft: of its source and its tests. */
export function etagOf({ source, tests = '' }: Content): string {
  return `"${sha256(`${source}\0${tests}`)}"`;
}

/** Throws 412 `precondition_failed` when there is another draft than the caller expects. */
export function expectDraft({ match, none }: DraftCondition, before: Content | undefined): void {
  const wrong = match !== undefined && (before === undefined || (match !== '*' && match !== etagOf(before)));
  if (wrong || (none === '*' && before !== undefined))
    throw new PlatformError('precondition_failed', 'the draft is another one than the request names; read it again');
}

/** Reads If-Match and If-None-Match. */
export function draftConditionOf(headers: Readonly<Record<string, string | string[] | undefined>>): DraftCondition {
  const { 'if-match': match, 'if-none-match': none } = headers;
  return { ...(typeof match === 'string' ? { match } : {}), ...(typeof none === 'string' ? { none } : {}) };
}
