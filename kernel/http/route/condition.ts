import { PlatformError } from '../../error.ts';

/** The state that a caller expects; absent members expect nothing. */
export interface Condition {
  /** If-Match: tags, or `*` for any existing state. */
  readonly match?: string;
  /** If-None-Match: tags that the state must not have, or `*`: there must be no state. */
  readonly none?: string;
}

/** Reads If-Match and If-None-Match. */
export function conditionOf(headers: Readonly<Record<string, string | string[] | undefined>>): Condition {
  const { 'if-match': match, 'if-none-match': none } = headers;
  return {
    ...(match === undefined ? {} : { match: String(match) }),
    ...(none === undefined ? {} : { none: String(none) }),
  };
}

/** Throws 412 `precondition_failed` when the present tag, undefined for no state, does not meet the condition. */
export function expectTag(
  { match, none }: Condition,
  tag: string | undefined,
  detail = 'the current version is not the one that the request names; read it again',
): void {
  const matches = match === undefined || (tag !== undefined && listOf(match).some((one) => one === '*' || one === tag));
  if (!matches || (tag !== undefined && namesTag(none, tag))) throw new PlatformError('precondition_failed', detail);
}

/** Says whether an If-None-Match names a tag, by the weak comparison (RFC 9110 §13.1.2); `*` names any. */
export function namesTag(header: string | readonly string[] | undefined, tag: string): boolean {
  const listed = listOf([header ?? []].flat().join());
  return listed.some((one) => one === '*' || one.replace(/^W\//, '') === tag);
}

function listOf(header: string): readonly string[] {
  return header.split(',').map((one) => one.trim());
}
