import type { Screen } from '../../../../kernel/index.ts';
import { painted, Shown } from '../../../terminal/contract.ts';
import { demonstrationNote } from '../../format/names.ts';
import type { FolderReport } from './files.ts';
import type { Check, Report } from '../report.ts';

const words = { pass: 'pass', fail: 'FAIL', not_checked: 'not checked' } as const;

/** Writes a report for a terminal. */
export function showReport({ checks, hint, limits, overall, values }: Omit<Report, 'place'>): Shown {
  return new Shown((screen) => {
    const lines = showChecks(checks, screen);
    if (values !== undefined) {
      lines.push('', 'from the signed payload:');
      lines.push(...Object.entries(values).map(([name, value]) => `  ${name.padEnd(14)}${plain(String(value))}`));
      const simulated = demonstrationNote(values);
      if (simulated !== undefined) lines.push('', simulated);
    }
    if (hint !== undefined) lines.push(hint);
    lines.push('', ...limits.map(plain), painted(overall, screen));
    return lines.join('\n').trimStart();
  });
}

/** Writes verdicts for a terminal, one line each. */
function showChecks(checks: readonly Check[], screen: Screen | undefined): string[] {
  return checks.map(({ detail, name, result }) => {
    const word = painted(result, screen, words[result]);
    return `${name.padEnd(27)} ${word}${detail === undefined ? '' : `: ${plain(detail)}`}`;
  });
}

/** Removes control characters, which a terminal would execute: the text is untrusted. */
function plain(value: string): string {
  return value.replace(/\p{C}/gu, '?');
}

/** Writes the report of a folder for a terminal. */
export function showFolder(report: Omit<FolderReport, 'consistent'>): Shown {
  const { checks, limits, overall, receipts, rejected, revoked, verified } = report;
  const refused = rejected.map(({ path, why }) => `${plain(path)}: ${plain(why)}`);
  return new Shown((screen) =>
    [
      ...refused,
      `${verified} of ${receipts} receipts verified${revoked === 0 ? '' : `, ${revoked} of a revoked key`}`,
      ...showChecks(checks, screen),
      ...limits.map(plain),
      painted(overall, screen),
    ].join('\n'),
  );
}
