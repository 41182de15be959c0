import { meaning, tableOf } from './read.ts';
import type { Severity } from '../../signals/words.ts';

const words = tableOf<Severity>({
  critical: ['critical', 'fatal', 'emergency', 'page', 'disaster', 'p1', 'sev0', 'sev-1'],
  high: ['error', 'high', 'major', 'p2', 'sev1'],
  warning: ['warning', 'warn', 'medium', 'minor', 'p3', 'sev2'],
  info: ['info', 'informational', 'notice', 'low', 'p4', 'p5', 'sev3', 'sev4'],
  debug: ['debug', 'ok', 'none'],
});

/** Maps a vendor's word to a severity; undefined for an unknown word, which takes the source's default. */
export function severityOf(word: string | undefined): Severity | undefined {
  return meaning(words, word?.trim().toLowerCase());
}
