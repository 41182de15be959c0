import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PlatformError } from '../../error.ts';
import { unknownCoding } from '../connection/head.ts';
import { problemType, toProblem } from '../route/problem.ts';
import type { HttpOptions } from './site.ts';

/** How long a client has to read the answer and to close. */
const graceMs = 1000;

/**
 * Answers bytes that are no valid request with hand-written problem+json, ends the connection, and soon destroys it.
 */
export function answerClientError(options: HttpOptions, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = options.ids('req');
  const { status, headers, body } = toProblem(toError(error), options, requestId);
  const text = JSON.stringify(body);
  // A client that never reads, or never closes its side, must not keep the descriptor.
  const late = setTimeout(() => socket.destroy(), graceMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      `X-Should-Retry: ${headers['X-Should-Retry']}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}

/** An error of Node's parser: its code alone does not tell which of two headers is in the way. */
interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string;
}

const malformed: Readonly<Record<string, string>> = {
  HPE_UNEXPECTED_CONTENT_LENGTH: 'send the header Content-Length once',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be a number of bytes in digits',
};

function toError({ code = '', reason = '' }: ParserError): PlatformError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new PlatformError(
      'header_fields_too_large',
      'the request line and headers are larger than 16 KiB; send less',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new PlatformError('request_timeout', 'send the headers within 15 s and the body within 60 s');
  // RFC 9112, 6.1: two readers could find two ends of such a body.
  if (reason.includes("can't be present with"))
    return new PlatformError('malformed_request', 'send either Content-Length or Transfer-Encoding, not both');
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return unknownCoding();
  return new PlatformError(
    'malformed_request',
    malformed[code] ?? 'the request is not valid HTTP/1.1; send a valid request',
  );
}
