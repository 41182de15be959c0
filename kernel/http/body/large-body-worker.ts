import { serveThread } from '../../thread.ts';
import { parseBody } from './body.ts';
import { textOfJson } from './json.ts';
import { cut } from './pieces.ts';

// The value stays here: to copy it would cost the thread that serves more than to parse its text again.
serveThread(({ bytes }: { readonly bytes: Uint8Array }) => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  parseBody(body);
  return cut(textOfJson(body));
});
