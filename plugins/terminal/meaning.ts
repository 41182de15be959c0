import type { Screen } from '../../kernel/index.ts';

type Style = Parameters<Screen['paint']>[0];

const words: Readonly<Record<Style, readonly string[]>> = {
  good: [
    ...['active', 'allowed', 'completed', 'conforms', 'delivered', 'done', 'equal', 'low', 'ok', 'operational', 'pass'],
    ...['passed', 'resolved', 'up', 'verified', 'whole'],
  ],
  warning: [
    ...['acknowledged', 'degraded', 'degraded_performance', 'deprecated', 'disabled', 'draining', 'indeterminate'],
    ...['medium', 'open', 'partial_outage', 'paused', 'revoked', 'skipped', 'timed_out', 'under_maintenance', 'unread'],
    ...['verified-with-limits', 'warning'],
  ],
  bad: [
    ...['critical', 'dead', 'denied', 'down', 'error', 'fail', 'failed', 'fault', 'high', 'invalid', 'major_outage'],
    ...['nothing-to-verify', 'rejected', 'suspended', 'yanked'],
  ],
  head: [],
};

const styles: ReadonlyMap<string, Style> = new Map(
  Object.entries(words).flatMap(([style, all]) => all.map((word) => [word, style as Style] as const)),
);

// Heads and names of values that are words of a closed list; free text gets no colour.
const stated = new Set(['health', 'outcome', 'risk', 'risk_level', 'severity', 'state', 'status']);

/** True for the head of a column, or the name of a value, that holds a state. */
export function holdsState(name: string): boolean {
  return stated.has(name.toLowerCase());
}

/** Gives a text the colour of the first word of a state, if it has one; without a screen it stays as it is. */
export function painted(state: string, screen: Screen | undefined, text = state): string {
  const style = styles.get(/^[\w-]+/.exec(state.trimStart())?.[0].toLowerCase() ?? '');
  return style === undefined || screen === undefined ? text : screen.paint(style, text);
}
