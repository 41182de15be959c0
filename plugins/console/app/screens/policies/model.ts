/** A policy in a list. */
export interface Policy {
  readonly id: string;
  readonly active: boolean;
  readonly draft: boolean;
  readonly path?: string;
  readonly action?: string;
  readonly mode?: string;
  readonly title?: string;
  readonly description?: string;
  readonly owner?: string;
  readonly severity?: string;
  readonly tests?: boolean;
}

/** A policy with its texts; `waiting`: its draft. */
export interface PolicyDetail extends Policy {
  readonly source?: string;
  readonly tests_source?: string;
  readonly waiting?: Draft;
}

/** A draft, as it is stored. */
export interface Draft {
  readonly source: string;
  readonly tests?: string;
  readonly message?: string;
  readonly updated_at: string;
  readonly updated_by: string;
}

/** One finding in a policy file. */
export interface Diagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

/** The result of one test. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly passed: boolean;
  readonly skipped?: boolean;
  readonly message?: string;
}

/** How the policy engine is. */
export interface EngineStatus {
  readonly health: string;
  readonly revision: string | null;
  readonly policies: number;
  readonly compiler: string;
  readonly rejected?: {
    readonly at: string;
    readonly errors: number;
    readonly diagnostics: readonly Diagnostic[];
  } | null;
}

/** A revision in the list of all that were active. */
export interface Revision {
  readonly revision: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly created_by: string;
  readonly message?: string;
}

/** What a replay of past decisions answers. */
export interface Replayed {
  readonly examined: number;
  readonly complete: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly counts: Readonly<Record<'same' | Changed, number>>;
  readonly decision_ids: Readonly<Record<Changed, readonly string[]>>;
}

/** What becomes of a past decision that does not end as it did. */
export type Changed = 'would_deny' | 'would_allow' | 'undecidable' | 'not_replayable';

/** The difference of one file. */
export interface FileDiff {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly diff: string;
}

/** Shortens a digest to its first digits. */
export function shortOf(digest: string): string {
  return digest.replace('sha256:', '').slice(0, 12);
}

/** Writes a number with its word: `1 test`, `2 tests`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
