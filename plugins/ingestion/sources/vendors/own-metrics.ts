/** The label, with its value, by which the shipped alert rules mark what they read from the platform's own metrics. */
export const ownMark = { name: 'orb_origin', value: 'platform' } as const;

// A name of a metric of the platform; the labels orb_id and orb_version are none.
const ownMetric = /(?<![\w:])orb_(?!id\b|version\b|origin\b)[a-z0-9_]{3,}/;

/** Says whether the address of a Prometheus rule, or a text with its values, names a metric of the platform. */
export function namesOwnMetric(text: string | undefined): boolean {
  if (text === undefined) return false;
  try {
    return ownMetric.test(expressionOf(text) ?? text);
  } catch {
    return false;
  }
}

// The expression in an address such as http://prometheus/graph?g0.expr=…; the host may have any name.
function expressionOf(text: string): string | undefined {
  return URL.canParse(text) ? [...new URL(text).searchParams.values()].join(' ') : undefined;
}
