import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { RequestCall, RequestState } from './call.ts';
import type { Route } from '../route/route.ts';
import type { Site } from './site.ts';
import { defaultLimit, isText, parseBody, readJsonBytes, readText } from '../body/body.ts';
import { mostExaminedHere } from '../body/large-bodies.ts';
import { isForm, readFiles } from './upload.ts';

type Context = ParameterizedContext<RequestState>;
type Take = (value: unknown) => void;

/** What is known of the route whose body is read. */
export interface Reading {
  readonly site: Pick<Site, 'bodies' | 'bodyRoom'>;
  readonly route: Route;
  /** Checks a body against the schema of the route. */
  readonly parse: (value: unknown, caller?: RequestCall['principal']) => unknown;
}

/**
 * Reads the body in the form that the route takes: JSON, or a text or a form. Returns no promise if the body is there
 * already.
 */
export function readInto(call: RequestCall, ctx: Context, reading: Reading): Promise<void> | undefined {
  const { route, parse } = reading;
  const { files, textMember } = route;
  const type = ctx.req.headers['content-type'];
  const take: Take = (value) => void (call.body = parse(value, call.principal));
  const size = announcedSize(ctx.req);
  if (size > mostExaminedHere) {
    const release = reading.site.bodyRoom.take(call.principal?.id ?? call.client_ip, size, {
      open: call.principal === undefined,
    });
    ctx.res.once('close', release);
  }
  if (files !== undefined && isForm(type)) return readFiles(ctx, files).then((read) => void (call.files = read));
  if (textMember !== undefined && isText(type)) return readText(ctx.req).then((text) => take({ [textMember]: text }));
  if (route.public === true) return readOpen(route, call, ctx.req, take);
  const bytes = readJsonBytes(ctx.req, route.bodyLimit);
  if (bytes instanceof Promise) return bytes.then((read) => takeBytes(read, call, reading.site, take));
  return takeBytes(bytes, call, reading.site, take);
}

// A body of unknown length may become as long as any; one that is too long is refused before it is read.
function announcedSize({ headers }: IncomingMessage): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length) > defaultLimit ? 0 : Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : defaultLimit;
}

function takeBytes(
  bytes: Buffer,
  call: RequestCall,
  { bodies }: Reading['site'],
  take: Take,
): Promise<void> | undefined {
  if (bytes.length > mostExaminedHere) return bodies.parse(call.principal?.id ?? call.client_ip, bytes).then(take);
  take(parseBody(bytes));
  return undefined;
}

// Without a key a large body is parsed where the work is done, or not at all.
async function readOpen({ handleLarge }: Route, call: RequestCall, req: IncomingMessage, take: Take): Promise<void> {
  const bytes = await readJsonBytes(req, handleLarge === undefined ? mostExaminedHere : undefined);
  if (bytes.length > mostExaminedHere) call.large = bytes;
  else take(parseBody(bytes));
}
