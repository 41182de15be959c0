/** Position of a page in a list. */
export interface Paging {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
}

const farthest = 10_000;

/**
 * Makes the headers of a page: `X-Total-Count`, and `Link` (RFC 8288) with absolute addresses that keep every
 * parameter. `next` and `last` never exceed the largest allowed offset.
 */
export function pagingHeaders(
  address: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  { limit, offset, total }: Paging,
): Readonly<Record<string, string>> {
  const to = (rel: string, at: number): string =>
    `<${address}?${parameters({ ...query, limit, offset: at })}>; rel="${rel}"`;
  const last = Math.min(Math.max(0, Math.ceil(total / limit) - 1) * limit, Math.floor(farthest / limit) * limit);
  const next = offset + limit;
  const links = [
    ...(next < total && next <= farthest ? [to('next', next)] : []),
    ...(offset > 0 ? [to('prev', Math.max(0, offset - limit))] : []),
    to('first', 0),
    to('last', last),
  ];
  return { 'X-Total-Count': String(total), Link: links.join(', ') };
}

function parameters(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
}
