/** One parsed MIME entity: header names in lower case, unfolded; `content` decoded; `parts` of a multipart. */
export interface Entity {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
  readonly text: string;
  readonly parts: readonly Entity[];
}

/** Parses an RFC 5322 message as strictly as its grammar: a reader that is not the writer's. Throws on a bad line. */
export function parseMail(raw: Buffer): Entity {
  const source = raw.toString('latin1');
  const end = source.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('there is no empty line after the header');
  const headers: Record<string, string> = {};
  for (const line of source
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')) {
    const match = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined || headers[name] !== undefined) throw new Error(`bad or repeated header line: ${line}`);
    headers[name] = match?.[2] ?? '';
  }
  const body = source.slice(end + 4);
  const content = decode(body, headers['content-transfer-encoding'] ?? '7bit');
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(headers['content-type'] ?? '')?.[1];
  return {
    headers,
    content,
    text: content.toString('utf8'),
    parts: boundary === undefined ? [] : split(body, boundary),
  };
}

function split(body: string, boundary: string): Entity[] {
  const [inside, epilogue] = `\r\n${body}`.split(`\r\n--${boundary}--`);
  if (inside === undefined || epilogue === undefined) throw new Error('the multipart is not closed');
  const parts = inside.split(`\r\n--${boundary}\r\n`).slice(1);
  return parts.map((part) => parseMail(Buffer.from(part, 'latin1')));
}

function decode(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  const joined = body.replaceAll('=\r\n', '');
  const plain = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}
