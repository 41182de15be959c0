import { connectionSettings, exactly, optional, type Infer } from '../../../kernel/adapter.ts';
import { ownHeaders } from '../request/headers.ts';
import { safeMethods, unsafeMethods } from '../request/inputs.ts';

const allowEntry = {
  // An exemption or a credential needs an exact host: others may control names under a wildcard.
  if: { anyOf: [{ required: ['private'], properties: { private: { const: true } } }, { required: ['headers'] }] },
  then: { properties: { host: { pattern: '^[^*]' } } },
  ...exactly({
    host: {
      type: 'string',
      title: 'Host',
      description:
        'A host name, an address (IPv6 in brackets), or `*.name` for all names below it; in lower case, international names as xn--….',
      pattern:
        '^(?:(?:\\*\\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*|\\[[0-9a-f:.]+\\])$',
      maxLength: 255,
    },
    port: optional({
      type: 'integer',
      title: 'Port',
      description: 'Default: the port of the scheme.',
      minimum: 1,
      maximum: 65535,
    }),
    private: optional({
      type: 'boolean',
      title: 'May have a private or local address',
      description: 'Applies to exactly this host and port; not with a wildcard.',
    }),
    plain: optional({
      type: 'boolean',
      title: 'May be called without TLS',
      description: 'If false: https only, and http only to a private loopback entry.',
    }),
    methods: optional({
      type: 'array',
      title: 'Methods',
      description: 'Default: all methods. For read-only access: GET and HEAD.',
      minItems: 1,
      maxItems: 6,
      uniqueItems: true,
      items: { enum: [...safeMethods, ...unsafeMethods] },
    }),
    headers: optional({
      type: 'object',
      title: 'Headers with credentials',
      description: 'Headers that are sent with each request to this host, by lower-case name; not with a wildcard.',
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
      'All other hosts are refused. An exact host takes precedence over a wildcard, then the first match over the second.',
    minItems: 1,
    maxItems: 1000,
    items: allowEntry,
  },
  max_body_bytes: optional({
    type: 'integer',
    title: 'Maximum size of a response body',
    description: 'A longer body is cut and marked as truncated; the limit applies before and after decompression.',
    minimum: 0,
    maximum: 8388608,
    default: 1048576,
  }),
  timeout_ms: optional({
    type: 'integer',
    title: 'Time limit of a whole call',
    description: 'From the DNS lookup to the last byte of the response; the deadline of the Orb may be shorter.',
    minimum: 100,
    maximum: 600000,
    default: 30000,
  }),
  ...connectionSettings,
});

/** A checked configuration. */
export type Settings = Infer<typeof config>;
