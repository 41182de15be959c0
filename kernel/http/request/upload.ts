import { Readable, Writable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { PlatformError } from '../../error.ts';
import { defaultLimit, readBytes } from '../body/body.ts';
import type { UploadedFile } from '../route/route.ts';

const mostFiles = 20;

/** Most bytes of the files together with the multipart framing. */
const mostBytes = defaultLimit + 64 * 1024;

/** Says whether a request carries a form with files. */
export function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(contentType ?? '');
}

/**
 * Reads the files of a multipart body into memory; `fields`: the names that are known. Throws 413 above 1 MiB in all,
 * 422 `invalid_body` for another field, a text field or no file at all, 400 `malformed_request` for a broken form.
 */
export async function readFiles(
  ctx: ParameterizedContext,
  fields: readonly string[],
): Promise<readonly UploadedFile[]> {
  const buffered = await bufferedForm(ctx);
  const kept = new Map<object, Buffer[]>();
  // Late: it loads 150 modules, which commands and most servers never need.
  const { koaBody } = await import('koa-body');
  const parse = koaBody({
    multipart: true,
    json: false,
    urlencoded: false,
    text: false,
    formidable: {
      maxFiles: mostFiles,
      maxFields: 0,
      maxFileSize: defaultLimit,
      maxTotalFileSize: defaultLimit,
      allowEmptyFiles: true,
      minFileSize: 0,
      // The files stay in memory: nothing that an untrusted sender sends is written to the disk.
      fileWriteStreamHandler: (file: object | undefined) => {
        const chunks: Buffer[] = [];
        if (file !== undefined) kept.set(file, chunks);
        return new Writable({
          write(chunk: Buffer, _encoding, done) {
            chunks.push(chunk);
            done();
          },
        });
      },
    },
  });
  try {
    await parse(buffered, async () => undefined);
  } catch (error) {
    throw formFault(error);
  }
  return collect((ctx.request as { files?: object }).files ?? {}, kept, fields);
}

// The parser counts only the bytes of files, and reads any amount of text around them, so the body is read with a limit
// first.
async function bufferedForm(ctx: ParameterizedContext): Promise<ParameterizedContext> {
  const { headers } = ctx.req;
  const body = await readBytes(ctx.req, mostBytes);
  checkHeads(body, headers['content-type']);
  const req = Object.assign(Readable.from(body), { headers });
  // The same context with another `req`, from which the parser takes the stream and the headers.
  return Object.create(ctx, { req: { value: req } }) as ParameterizedContext;
}

function collect(files: object, kept: ReadonlyMap<object, Buffer[]>, fields: readonly string[]): UploadedFile[] {
  const found = Object.entries(files as Readonly<Record<string, object | object[]>>).flatMap(([field, value]) =>
    [value].flat().map((file) => ({
      field,
      filename: (file as { readonly originalFilename?: string | null }).originalFilename ?? '',
      bytes: Buffer.concat(kept.get(file) ?? []),
    })),
  );
  const foreign = found.find(({ field }) => !fields.includes(field));
  if (foreign !== undefined)
    throw misfit(`there is no file field ${JSON.stringify(foreign.field.slice(0, 64))}`, fields);
  if (found.length === 0) throw misfit('the form contains no file', fields);
  return found;
}

function misfit(why: string, fields: readonly string[]): PlatformError {
  return new PlatformError(
    'invalid_body',
    `${why}; send ${fields.join(', ')} as a file (curl -F ${fields[0] ?? ''}=@FILE)`,
  );
}

function formFault(error: unknown): PlatformError {
  const { httpCode, message } = error as { httpCode?: unknown; message?: unknown };
  if (/maxFields/i.test(String(message)))
    return new PlatformError('invalid_body', 'the form contains a text field; send only files (curl -F name=@FILE)');
  if (httpCode === 413)
    return new PlatformError(
      'payload_too_large',
      `the files are larger than the limit of ${defaultLimit} bytes; send less`,
    );
  return new PlatformError('malformed_request', `the form cannot be read: ${String(message).slice(0, 200)}`);
}

/** Most bytes of the head of one part: its name, file name and media type. */
const mostHeadBytes = 1024;

/**
 * Refuses a multipart body with a part whose head is long: 400 `malformed_request`. The parser keeps a head of any
 * length, and searches it for the file name in time quadratic in that length.
 */
function checkHeads(body: Buffer, contentType: string | undefined): void {
  const delimiter = delimiterOf(contentType);
  if (delimiter === undefined) return;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    // The line break behind the delimiter may be the first half of the empty line that ends the head.
    const head = at + delimiter.length - 2;
    if (!body.subarray(head, head + mostHeadBytes).includes('\r\n\r\n')) {
      throw new PlatformError('malformed_request', `the headers of a part are larger than ${mostHeadBytes} bytes`);
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
