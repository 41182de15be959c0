import { defineCapability } from '../../kernel/adapter.ts';
import { parsedRequest } from './request/parsed.ts';

/** The capability of http.fetch and http.send: makes one HTTP request to a host its configuration lists. */
export const http = defineCapability({
  name: 'http',
  title: 'Call HTTP services',
  inputs: {
    url: 'Absolute URL, with http or https. Its host must be one that the operator allows',
    method: 'Method of the request',
    headers: 'Headers of the request by name. Credentials come from the operator, never from here',
    body: 'Body of the request as text, or as base64 with `encoding`. Not beside `json`',
    encoding: 'How `body` is written: utf8 (the default) or base64',
    json: 'Body of the request as a JSON value. Not beside `body`',
  },
  parse: (inputs) => ({ ...parsedRequest(inputs) }),
  // A service gets no text: the test reads the URL that the caller gives.
  sample: { orb: 'http.fetch', asks: ['url'], inputs: () => ({ method: 'GET' }) },
});
