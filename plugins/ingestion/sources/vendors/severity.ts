import type { Severity } from '../../signals/words.ts';

const words: Readonly<Record<Severity, readonly string[]>> = {
  critical: ['critical', 'fatal', 'emergency', 'page', 'disaster', 'p1', 'sev0', 'sev-1'],
  high: ['error', 'high', 'major', 'p2', 'sev1'],
  warning: ['warning', 'warn', 'medium', 'minor', 'p3', 'sev2'],
  info: ['info', 'informational', 'notice', 'low', 'p4', 'p5', 'sev3', 'sev4'],
  debug: ['debug', 'ok', 'none'],
};

const table = new Map(
  Object.entries(words).flatMap(([severity, names]) => names.map((name) => [name, severity as Severity] as const)),
);

/** Maps a vendor's word to a severity; undefined for an unknown word, which takes the source's default. */
export function severityOf(word: string | undefined): Severity | undefined {
  return word === undefined ? undefined : table.get(word.trim().toLowerCase());
}
