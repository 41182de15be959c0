import type { FolderReport } from '../export/verify-folder.ts';
import { plain, showChecks } from './show-report.ts';

type Shown = Omit<FolderReport, 'consistent'>;

/** Writes what verifying a folder found for a terminal. */
export function showFolder({ checks, limits, overall, receipts, rejected, verified }: Shown): string {
  const refused = rejected.map(({ path, why }) => `${plain(path)}: ${plain(why)}`);
  return [
    ...refused,
    `${verified} of ${receipts} receipts verified`,
    ...showChecks(checks),
    ...limits.map(plain),
    overall,
  ].join('\n');
}
