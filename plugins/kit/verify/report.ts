import { given, within } from '../../../kernel/index.ts';
import type { Check } from '../conformance/options.ts';
import { withoutSecrets } from '../conformance/secret-search.ts';

/** The result of one check. */
export interface CheckResult {
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** What the adapter did instead, or why the check was skipped; secrets are replaced. */
  readonly detail?: string;
  readonly duration_ms: number;
}

/** The machine-readable result of `orb provider verify`. */
export interface VerifyReport {
  readonly report_version: 1;
  /** Version of the platform. */
  readonly version: string;
  readonly adapter: string;
  readonly orb_id: string;
  /** `sha256:<hex>` of adapter, its files and configuration; receipts show the same. */
  readonly config_digest: string;
  readonly started_at: string;
  readonly conforms: boolean;
  readonly checks: readonly CheckResult[];
}

const limitMs = 60_000;

/** Runs checks one after the other; none rejects, none may take longer than a minute. */
export async function runChecks(checks: readonly Check[], secrets: readonly string[]): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { title, run } of checks) {
    const started = performance.now();
    const fault = await within(limitMs, run(), tooLong).then(
      () => undefined,
      (error: unknown) => withoutSecrets(secrets, error instanceof Error ? error.message : String(error)),
    );
    const duration_ms = Math.round(performance.now() - started);
    const status = fault === undefined ? ('passed' as const) : ('failed' as const);
    results.push(given({ title, status, detail: fault, duration_ms }));
  }
  return results;
}

/** Formats a report for a person. `paint` gives a text the colour of a state. */
export function shownReport(
  { adapter, orb_id, conforms, checks }: VerifyReport,
  paint: (state: string, text: string) => string = (_, text) => text,
): string {
  const marks = { passed: '✔', failed: '✘', skipped: '–' } as const;
  const rows = checks.map(({ title, status, detail }) => {
    const reason = detail === undefined ? '' : `\n    ${detail.replaceAll('\n', '\n    ')}`;
    return `${paint(status, marks[status])} ${title}${reason}`;
  });
  const count = (status: CheckResult['status']): number => checks.filter((check) => check.status === status).length;
  const verdict = conforms ? paint('passed', 'CONFORMS') : paint('failed', 'DOES NOT CONFORM');
  const counts = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
  return [...rows, '', `${adapter} for ${orb_id}: ${verdict} (${counts})`].join('\n');
}

function tooLong(): never {
  throw new Error(`did not end within ${limitMs / 1000} s`);
}
