import { isUtf8 } from 'node:buffer';
import { readCall } from './call.ts';
import { callerHeaders } from './headers.ts';
import { parsedUrl, type ParsedUrl } from './url.ts';

/** The parts of a request that policies see in addition to its inputs. */
export interface ParsedRequest {
  readonly url: ParsedUrl;
  readonly method: string;
  /** Those of the caller, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent when there is no body. */
  readonly content_type?: string;
  /** Text of a body that was given in base64, if it is UTF-8. */
  readonly body?: string;
}

/** Parses the inputs of a request as its provider does. Throws ProviderError `rejected`. */
export function parsedRequest(inputs: Readonly<Record<string, unknown>>): ParsedRequest {
  const { url, method, headers: given, body, content_type: own } = readCall(inputs);
  const headers = { ...callerHeaders(given, {}) };
  const content_type = headers['content-type'] ?? own;
  const hidden = inputs['encoding'] === 'base64' && body !== undefined && isUtf8(body);
  return {
    ...{ url: parsedUrl(url), method, headers },
    ...(content_type === undefined ? {} : { content_type }),
    ...(hidden ? { body: body.toString('utf8') } : {}),
  };
}
