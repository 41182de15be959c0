import lt from 'semver/functions/lt.js';
import { fine, type Examination, type Finding } from '../../../kernel/index.ts';
import list from './advisories.json' with { type: 'json' };

/** What is known of the weaknesses of Node, up to a date. */
export interface AdvisoryList {
  /** YYYY-MM-DD: published advisories up to this day are in the list. */
  readonly date: string;
  /** Where the pages of the advisories are. */
  readonly source: string;
  /** Release lines that get security fixes, by major version: the last day of each. */
  readonly supported: Readonly<Record<string, string>>;
  readonly advisories: readonly Advisory[];
}

interface Advisory {
  /** Its page in the vulnerability blog of nodejs.org. */
  readonly advisory: string;
  /** The first version without it of each release line that had it, by major version. */
  readonly fixed: Readonly<Record<string, string>>;
  /** The severity of each weakness by its CVE number. */
  readonly ids: Readonly<Record<string, string>>;
}

const yearMs = 365 * 86_400_000;

/** Reports what a list of advisories says of a version of Node on a day; one finding at least. */
export function examineNode(version: string, now: number, known: AdvisoryList = list): readonly Finding[] {
  const found = known.advisories.filter(({ fixed }) => isBelow(version, fixed[majorOf(version)]));
  const weakness = found.length > 0 ? affectedBy(version, found, known) : endOf(version, now, known);
  const update = 'Update the program; in a checkout, install the newest Node of a release line with security fixes.';
  const stale = `the list of advisories of Node is of ${known.date}`;
  const look = `Update the program, or look for advisories of Node ${version} at ${known.source}.`;
  const findings = [
    ...(weakness === undefined ? [] : [warning(weakness, update)]),
    ...(now - Date.parse(known.date) > yearMs ? [warning(stale, look)] : []),
  ];
  return findings.length > 0
    ? findings
    : [fine('node', `Node ${version} has no advisory in the list of ${known.date}`)];
}

function warning(detail: string, remedy: string): Finding {
  return { name: 'node', state: 'warning', detail, remedy };
}

/** Examines the Node that runs the command. */
export const examineOwnNode: Examination = () => examineNode(process.versions.node, Date.now());

const majorOf = (version: string): number => Number.parseInt(version, 10);

function isBelow(version: string, fixed: string | undefined): boolean {
  return fixed !== undefined && lt(version, fixed);
}

function affectedBy(version: string, found: readonly Advisory[], { date, source }: AdvisoryList): string {
  const severities = found.flatMap(({ ids }) => Object.entries(ids));
  const high = severities.filter(([, severity]) => severity === 'high');
  const count = `Node ${version} has ${severities.length} known advisories, ${high.length} of them high`;
  const pages = [...new Set(found.map(({ advisory }) => `${source}/${advisory}`))];
  return `${count} (list of ${date}): ${pages.join(', ')}`;
}

// A line that is newer than all of the list is unknown to it.
function endOf(version: string, now: number, { supported }: AdvisoryList): string | undefined {
  const major = majorOf(version);
  const newest = Math.max(...Object.keys(supported).map(Number));
  const end = supported[String(major)];
  if (end === undefined)
    return major > newest ? undefined : `Node ${version} is of a release line without security fixes`;
  return now > Date.parse(end) ? `Node ${version} is of a release line without security fixes since ${end}` : undefined;
}
