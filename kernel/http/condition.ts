import { PlatformError } from '../error.ts';

/** Which state a caller expects there to be; absent members expect nothing. */
export interface Condition {
  /** If-Match: tags, or `*`. */
  readonly match?: string;
  /** If-None-Match: `*`, nothing. */
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

/** Throws 412 `precondition_failed` when the tag of what is there, none when nothing is, is another than is expected. */
export function expectTag({ match, none }: Condition, tag: string | undefined): void {
  const tags = match?.split(',').map((each) => each.trim());
  const wrong = tags !== undefined && (tag === undefined || !(tags.includes('*') || tags.includes(tag)));
  if (wrong || (none?.trim() === '*' && tag !== undefined))
    throw new PlatformError('precondition_failed', 'what is there is not what the request names; read it again');
}
