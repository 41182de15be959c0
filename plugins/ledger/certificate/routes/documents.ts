import { reply, type Reply } from '../../../../kernel/index.ts';

/** Answers a document for everybody, from any page, to be kept for `seconds`; `text` is sent as it is. */
export function openDocument(type: string, text: string, seconds: number): Reply {
  const headers = { 'Cache-Control': `public, max-age=${seconds}`, 'Access-Control-Allow-Origin': '*' };
  return reply({ type, body: text, headers });
}
