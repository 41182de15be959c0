import { Readable, Writable } from 'node:stream';
import { PlatformError } from '../../error.ts';
import { defaultLimit, isText, parseBody, readBytes, readJsonBytes, readText } from '../body/body.ts';
import { mostExaminedHere } from '../body/large-bodies.ts';
import type { Route, UploadedFile } from '../route/route.ts';
import type { RequestCall } from './call.ts';
import type { Endpoint } from './router.ts';
import type { Site } from './site.ts';

type Context = Parameters<Endpoint>[0];

/**
 * Reads the body in the form that the route takes: JSON, or a text or a form; `parse` checks it against the schema of the
 * route. Returns no promise if the body is there already.
 */
export function readBody(
  { bodies, bodyRoom }: Site,
  route: Route,
  ctx: Context,
  parse: (value: unknown, caller: RequestCall['principal']) => unknown,
): Promise<void> | undefined {
  const { files, handleLarge, textMember } = route;
  const { req, res } = ctx;
  const call = ctx.state.request;
  const caller = call.principal?.id ?? call.client_ip;
  const type = req.headers['content-type'];
  const take = (value: unknown): void => void (call.body = parse(value, call.principal));
  const takeBytes = (bytes: Buffer): Promise<void> | undefined => {
    if (bytes.length <= mostExaminedHere) return void take(parseBody(bytes));
    if (route.public !== true) return bodies.parse(caller, bytes).then(take);
    return void (call.large = bytes);
  };
  const { bodyLimit = defaultLimit } = route;
  const size = announcedSize(req.headers, bodyLimit);
  if (size > mostExaminedHere) res.once('close', bodyRoom.take(caller, size, { open: call.principal === undefined }));
  if (files !== undefined && isForm(type)) return readFiles(ctx, files).then((read) => void (call.files = read));
  if (textMember !== undefined && isText(type)) return readText(req).then((text) => take({ [textMember]: text }));
  // Without a key a large body is parsed where the work is done, or not at all.
  const limit = route.public !== true ? bodyLimit : handleLarge === undefined ? mostExaminedHere : undefined;
  const bytes = readJsonBytes(req, limit);
  return bytes instanceof Promise ? bytes.then(takeBytes) : takeBytes(bytes);
}

// A body of unknown length may become as long as any; one that is too long is refused before it is read.
function announcedSize(headers: Context['req']['headers'], limit: number): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length) > limit ? 0 : Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : limit;
}

function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(contentType ?? '');
}

const mostFiles = 20;

/** Most bytes of the files together with the multipart framing. */
const mostBytes = defaultLimit + 64 * 1024;

/**
 * Reads the files of a multipart body into memory; `fields`: the names that are known. Throws 413 above 1 MiB in all,
 * 422 `invalid_body` for another field, a text field or no file at all, 400 `malformed_request` for a broken form.
 */
async function readFiles(ctx: Context, fields: readonly string[]): Promise<readonly UploadedFile[]> {
  const { headers } = ctx.req;
  // The parser counts only the bytes of files, and reads any amount of text around them.
  const body = await readBytes(ctx.req, mostBytes);
  checkHeads(body, headers['content-type']);
  // The same context with another `req`, from which the parser takes the stream and the headers.
  const buffered = Object.create(ctx, { req: { value: Object.assign(Readable.from(body), { headers }) } }) as Context;
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

function collect(files: object, kept: ReadonlyMap<object, Buffer[]>, fields: readonly string[]): UploadedFile[] {
  const misfit = (why: string): PlatformError =>
    new PlatformError('invalid_body', `${why}; send ${fields.join(', ')} as a file (curl -F ${fields[0] ?? ''}=@FILE)`);
  const found = Object.entries(files as Readonly<Record<string, object | object[]>>).flatMap(([field, value]) =>
    [value].flat().map((file) => ({
      field,
      filename: (file as { readonly originalFilename?: string | null }).originalFilename ?? '',
      bytes: Buffer.concat(kept.get(file) ?? []),
    })),
  );
  const foreign = found.find(({ field }) => !fields.includes(field));
  if (foreign !== undefined) throw misfit(`there is no file field ${JSON.stringify(foreign.field.slice(0, 64))}`);
  if (found.length === 0) throw misfit('the form contains no file');
  return found;
}

function formFault(error: unknown): PlatformError {
  const { httpCode, message } = error as { httpCode?: unknown; message?: unknown };
  const text = String(message);
  if (/maxFields/i.test(text))
    return new PlatformError('invalid_body', 'the form contains a text field; send only files (curl -F name=@FILE)');
  if (httpCode === 413)
    return new PlatformError(
      'payload_too_large',
      `the files are larger than the limit of ${defaultLimit} bytes; send less`,
    );
  return new PlatformError('malformed_request', `the form cannot be read: ${text.slice(0, 200)}`);
}

/** Most bytes of the head of one part: its name, file name and media type. */
const mostHeadBytes = 1024;

/**
 * Refuses a multipart body with a part whose head is long: 400 `malformed_request`. The parser keeps a head of any
 * length, and searches it for the file name in time quadratic in that length.
 */
function checkHeads(body: Buffer, contentType = ''): void {
  // Finds the boundary as the parser does, which takes a part only after this line; without one it refuses the body.
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return;
  const delimiter = Buffer.from(`--${boundary}\r\n`);
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    // The line break behind the delimiter may be the first half of the empty line that ends the head.
    const head = at + delimiter.length - 2;
    if (!body.subarray(head, head + mostHeadBytes).includes('\r\n\r\n'))
      throw new PlatformError('malformed_request', `the headers of a part are larger than ${mostHeadBytes} bytes`);
  }
}
