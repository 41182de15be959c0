import { sha256 } from './revision.ts';

/** A draft: a policy file that is not active. */
export interface Draft {
  readonly id: string;
  readonly source: string;
  readonly tests?: string;
  readonly message?: string;
  readonly updated_at: string;
  readonly updated_by: string;
}

/** Computes the tag of a draft: of its source and its tests. */
export function etagOf({ source, tests = '' }: Pick<Draft, 'source' | 'tests'>): string {
  return `"${sha256(`${source}\0${tests}`)}"`;
}
