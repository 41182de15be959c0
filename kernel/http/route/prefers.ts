/**
 * Says whether a request asks for a page rather than for data, as browsers do: `text/html` is in its Accept, and no form
 * of JSON has a greater weight.
 */
export function asksForPage(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/html')) return false;
  const weights = weightsOf(accept);
  const page = weights.get('text/html') ?? 0;
  return page > 0 && page >= jsonWeight(weights);
}

/** Says whether a request asks for JSON rather than for a page; a request that accepts anything does not. */
export function asksForJson(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('json')) return false;
  const weights = weightsOf(accept);
  return jsonWeight(weights) > (weights.get('text/html') ?? 0);
}

function jsonWeight(weights: ReadonlyMap<string, number>): number {
  return Math.max(0, ...[...weights].filter(([type]) => /[/+]json$/.test(type)).map(([, weight]) => weight));
}

function weightsOf(accept: string): ReadonlyMap<string, number> {
  const parts = accept.toLowerCase().split(',', 40);
  return new Map(
    parts.map((part) => {
      const [type = '', ...parameters] = part.split(';').map((one) => one.trim());
      const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1');
      return [type, Number.isNaN(weight) ? 0 : weight];
    }),
  );
}
