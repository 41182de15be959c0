import { PlatformError } from '../../error.ts';

/** Most bytes of the head of one part: its name, file name and media type. */
const mostBytes = 1024;

/**
 * Refuses a multipart body with a part whose head is long: 400 `malformed_request`. The parser keeps a head of any
 * length, and searches it for the file name in time quadratic in that length.
 */
export function checkHeads(body: Buffer, contentType: string | undefined): void {
  const delimiter = delimiterOf(contentType);
  if (delimiter === undefined) return;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    // The line break behind the delimiter may be the first half of the empty line that ends the head.
    const head = at + delimiter.length - 2;
    if (!body.subarray(head, head + mostBytes).includes('\r\n\r\n')) {
      throw new PlatformError('malformed_request', `the headers of a part are larger than ${mostBytes} bytes`);
    }
  }
}

// Finds the boundary as the parser does, which takes a part only after this line. Without a boundary the parser refuses
// the body.
function delimiterOf(contentType: string | undefined): Buffer | undefined {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined ? undefined : Buffer.from(`--${boundary}\r\n`);
}
