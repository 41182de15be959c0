/** Cuts one field out of a multipart body; undefined when it is not there. */
export function fieldOfForm(body: Uint8Array, contentType: string, name: string): Uint8Array | undefined {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const line = Buffer.from(`--${mark}`);
  let at = bytes.indexOf(line);
  for (let part = 0; at >= 0 && part < 20; part++) {
    const start = at + line.length;
    const next = bytes.indexOf(line, start);
    if (next < 0) return undefined;
    const head = bytes.indexOf('\r\n\r\n', start);
    if (head >= 0 && head < next && headNames(bytes.toString('latin1', start, head), name))
      return bytes.subarray(head + 4, next - 2);
    at = next;
  }
  return undefined;
}

function headNames(head: string, name: string): boolean {
  const disposition = head.split('\r\n').find((row) => /^content-disposition:/i.test(row)) ?? '';
  return disposition.split(';').some((part) => part.trim() === `name="${name}"`);
}
