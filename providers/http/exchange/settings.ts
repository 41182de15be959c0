import { connectionSettings, exactly, optional } from '../../../kernel/index.ts';
import { safeMethods, unsafeMethods } from '../contract.ts';
import { ownHeaders } from '../request/headers.ts';

const allowEntry = {
  // An exemption or a credential needs an exact host: others may control names under a wildcard.
  if: { anyOf: [{ required: ['private'], properties: { private: { const: true } } }, { required: ['headers'] }] },
  then: { properties: { host: { pattern: '^[^*]' } } },
  ...exactly({
    host: {
      type: 'string',
      title: 'Host',
      description:
        'A name, an address (IPv6 in brackets), or `*.name` for every name below it; lower case, other scripts as xn--….',
      pattern:
        '^(?:(?:\\*\\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*|\\[[0-9a-f:.]+\\])$',
      maxLength: 255,
    },
    port: optional({
      type: 'integer',
      title: 'Port',
      description: "The scheme's own if absent.",
      minimum: 1,
      maximum: 65535,
    }),
    private: optional({
      type: 'boolean',
      title: 'May have a private or local address',
      description: 'For this very host and port only; not with a wildcard.',
    }),
    plain: optional({
      type: 'boolean',
      title: 'Without TLS too',
      description: 'Without it only https, and http to a private entry that is loopback.',
    }),
    methods: optional({
      type: 'array',
      title: 'Methods',
      description: 'All if absent; e.g. GET and HEAD for a host that is only to be read.',
      minItems: 1,
      maxItems: 6,
      uniqueItems: true,
      items: { enum: [...safeMethods, ...unsafeMethods] },
    }),
    headers: optional({
      type: 'object',
      title: 'Headers with credentials',
      description: 'Sent with each request to this host, by lower-case name; not with a wildcard.',
      maxProperties: 32,
      propertyNames: { pattern: "^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$", not: { enum: ownHeaders } },
      additionalProperties: {
        type: 'string',
        minLength: 1,
        maxLength: 8192,
        pattern: '^[!-~](?:[ -~]*[!-~])?$',
        secret: true,
      },
    }),
  }),
} as const;

/** Schema of the configuration of http/client; units are in the names. */
export const config = exactly({
  allow: {
    type: 'array',
    title: 'Hosts that may be called',
    description:
      'Nothing else is; an exact host counts before a wildcard, the first of two that fit before the second.',
    minItems: 1,
    maxItems: 1000,
    items: allowEntry,
  },
  max_body_bytes: optional({
    type: 'integer',
    title: 'Longest body of an answer',
    description: 'What is longer is cut and marked as truncated; counted before and after decompression.',
    minimum: 0,
    maximum: 8388608,
    default: 1048576,
  }),
  timeout_ms: optional({
    type: 'integer',
    title: 'Time for a whole call',
    description: "From the look-up of the name to the last byte of the answer; the Orb's deadline may be shorter.",
    minimum: 100,
    maximum: 600000,
    default: 30000,
  }),
  ...connectionSettings,
});
