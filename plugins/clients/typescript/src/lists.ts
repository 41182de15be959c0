import { read, untilOf, type Scope } from './ask.ts';
import { OrbError } from './error.ts';
import { isRecord } from '../../../receipts/format/strict-json.ts';
import { problemOf, type Settled } from './persist.ts';
import type { Json } from './surface.ts';

/** Reads one thing, or throws an `OrbError` with the code of the problem. */
export async function get(scope: Scope, path: string): Promise<Json> {
  return jsonOf(await read(scope, path, untilOf(scope)), path);
}

/** Yields the items of a list, page by page; a page may be empty and the list go on. */
export async function* list(scope: Scope, path: string, member: string, filter: Json = {}): AsyncGenerator<Json> {
  let cursor: unknown = filter['cursor'];
  do {
    const page = jsonOf(await read(scope, path, untilOf(scope), { ...filter, cursor }), path);
    yield* (page[member] ?? []) as readonly Json[];
    cursor = page['next_cursor'];
  } while (typeof cursor === 'string' && cursor !== '');
}

function jsonOf({ heard }: Settled, path: string): Json {
  if (heard.kind === 'broken') throw new OrbError('unreachable', `${path} could not be read`);
  if (heard.status < 300 && isRecord(heard.json)) return heard.json;
  const problem = problemOf(heard);
  const detail = problem?.['detail'];
  const words = typeof detail === 'string' ? detail : `${path} could not be read`;
  throw new OrbError(problem?.code ?? `http_${heard.status}`, words);
}
