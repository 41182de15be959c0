import { read } from './ask.ts';
import { OrbError } from './error.ts';
import { codeOf, type Call } from './persist.ts';
import type { Json } from './surface.ts';
import { untilOf, type Scope } from './wire.ts';

/** Reads one thing, or throws an `OrbError` with the code of the problem. */
export async function get(scope: Scope, path: string, more?: Partial<Call>): Promise<Json> {
  const heard = await read(scope, path, untilOf(scope), more);
  const { broken, json, ok } = heard;
  if (ok && json !== undefined) return json;
  const detail = json?.['detail'];
  const words = typeof detail === 'string' ? detail : `${path} could not be read`;
  throw new OrbError(broken === undefined ? codeOf(heard) : 'unreachable', words);
}

/** Yields the items of a list, page by page; a page may be empty and the list go on. */
export async function* list(scope: Scope, path: string, member: string, filter: Json = {}): AsyncGenerator<Json> {
  let cursor = filter['cursor'];
  do {
    const page = await get(scope, path, { query: { ...filter, cursor } });
    yield* (page[member] ?? []) as readonly Json[];
    cursor = page['next_cursor'];
  } while (typeof cursor === 'string' && cursor !== '');
}
