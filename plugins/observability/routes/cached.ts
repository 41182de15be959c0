import { createHash } from 'node:crypto';
import { namesTag, reply, type Call, type Reply } from '../../../kernel/index.ts';

const cache = 'public, max-age=10, stale-while-revalidate=60';

/** Makes a cacheable JSON answer for callers from any origin: with an ETag, or 304 when the caller has this version. */
export function cached({ headers: asked }: Pick<Call<never, never, never, never>, 'headers'>, body: object): Reply {
  const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`;
  const headers = {
    ETag: etag,
    'Cache-Control': cache,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'ETag',
  };
  return namesTag(asked['if-none-match'], etag) ? reply({ status: 304, headers }) : reply({ headers, body });
}
