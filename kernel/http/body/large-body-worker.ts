import { serveThread } from '../../thread.ts';
import { parseBody } from './body.ts';
import { cut } from './pieces.ts';

// The value stays here: to copy it would cost the thread that serves more than to parse its text again.
serveThread(({ bytes }: { readonly bytes: Uint8Array }) =>
  cut(parseBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))),
);
