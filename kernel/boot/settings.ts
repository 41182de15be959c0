import { exactly, optional } from '../tools/schema.ts';
import { logFormats, logLevels } from '../tools/log-level.ts';
import { apiServices } from '../http/route.ts';

const name = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 64 } as const;
const names = { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 100 } as const;
const open = { type: 'object' } as const;

const rate = {
  ...exactly({
    count: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'So many of them' },
    window_s: { type: 'integer', minimum: 1, maximum: 86_400, description: 'Within so many seconds' },
  }),
  description: 'How many in a while',
} as const;

/** Schema of a limit of rate and concurrency. */
export const limit = exactly({
  rate: optional(rate),
  concurrency: optional({ type: 'integer', minimum: 1, maximum: 10_000, description: 'How many at once' }),
});

const providerLimits = {
  type: 'object',
  additionalProperties: false,
  anyOf: [{ required: ['concurrency'] }, { required: ['rate'] }],
  properties: {
    rate,
    concurrency: { type: 'integer', minimum: 1, maximum: 10_000, description: 'How many at once' },
    queue: {
      type: 'integer',
      minimum: 0,
      maximum: 100_000,
      default: 256,
      description: 'How many runs may wait in front of both. Default: 256',
    },
  },
} as const;

/** Schema of `data/platform.json`; unknown members are faults. The documentation lists its members. */
export const platformFile = exactly({
  listen: optional({
    type: 'array',
    minItems: 1,
    maxItems: 16,
    description: 'Listeners; each serves some or all of the four services. Default: ORB_LISTEN with all of them.',
    items: exactly({
      address: { type: 'string', maxLength: 200, description: '`host:port`, `[v6]:port`' },
      services: optional({
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { enum: apiServices },
        description: 'Default: all four',
      }),
      public_url: optional({
        type: 'string',
        pattern: '^https?://[^/]+$',
        maxLength: 500,
        description: 'Base of links to these services. Default: `public_url` for the first listener, else the address',
      }),
      tls: optional({
        ...exactly({ cert: { description: 'PEM, as {"$file": …}' }, key: { description: 'PEM, as {"$file": …}' } }),
        description: 'Serves HTTPS; changed files are read again without a restart',
      }),
    }),
  }),
  public_url: optional({
    type: 'string',
    pattern: '^https?://[^/]+$',
    maxLength: 500,
    description: 'Base of links; ORB_PUBLIC_URL has priority',
  }),
  site: optional({
    ...exactly({
      name: optional({ type: 'string', minLength: 1, maxLength: 60, description: 'Name of this installation' }),
      accent: optional({ type: 'string', pattern: '^#[0-9a-fA-F]{6}$', description: 'Colour of buttons: `#rrggbb`' }),
      logo: optional({
        type: 'string',
        minLength: 1,
        maxLength: 4096,
        description: 'An SVG or PNG file of 64 KiB at most, as high as wide; from ORB_HOME',
      }),
    }),
    description: 'Name, colour and logo of all pages. Default: those of the program',
  }),
  trust_proxy: optional({
    ...names,
    description: 'CIDRs of TLS proxies whose X-Forwarded-* are trusted. Default: none',
  }),
  connections: optional({
    ...exactly({
      total: optional({ type: 'integer', minimum: 16, maximum: 1_000_000, description: 'Of all addresses together' }),
      per_address: optional({ type: 'integer', minimum: 8, maximum: 1_000_000, description: 'Of one address' }),
    }),
    description:
      'Most open connections: `total`, and `per_address` (not of `trust_proxy`). Default: half the descriptors of the process, at most 8192; half of that, at most 1024',
  }),
  insecure_http: optional({
    type: 'boolean',
    description: 'Accepts keys over plain HTTP on a listener that is not loopback. Default: false',
  }),
  store: optional({
    ...exactly({
      url: optional({ description: 'postgres://user@host:5432/database, as {"$env": …} or {"$file": …}' }),
      migration_url: optional({
        description: 'The same database by the role that makes its tables, as {"$env": …} or {"$file": …}',
      }),
      several_nodes: optional({
        type: 'boolean',
        description: 'Serves beside the other nodes of the database, instead of in reserve. Default: false',
      }),
    }),
    description:
      'The PostgreSQL database that is the store; ORB_STORE_URL has priority. Default: a file of the state dir',
  }),
  insecure_store: optional({
    type: 'boolean',
    description: 'Allows a database on another machine without verified TLS. Default: false',
  }),
  log_level: optional({ enum: [...logLevels], description: 'ORB_LOG_LEVEL has priority. Default: info' }),
  log_format: optional({
    enum: [...logFormats],
    description: 'Form of the log. Default: text when standard error is a terminal, else json',
  }),
  authorize: optional({
    ...name,
    description: 'The plugin that decides what may be executed, swapped and published. Default: policy',
  }),
  drain_notice_ms: optional({
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    description:
      'How long shutdown still serves after /health/ready has begun to answer 503, so that a balancer sends nobody here when the port closes. Default: 0',
  }),
  drain_ms: optional({
    type: 'integer',
    minimum: 0,
    maximum: 600_000,
    description: 'How long shutdown waits for requests in flight. Default: 30000',
  }),
  limits: optional({
    ...exactly({ key: optional({ ...limit, description: 'What one key may do' }) }),
    description: 'Runs of one key: `key.rate` (`count` in `window_s`) and `key.concurrency`. Default: none',
  }),
  swap_drain_ms: optional({
    type: 'integer',
    minimum: 0,
    maximum: 600_000,
    description: 'How long runs may finish on the old provider after a swap. Default: 30000',
  }),
  plugins: optional({
    type: 'object',
    description:
      'Plugins by name: `config` of a shipped one, `from` (path of the file) and `config` of an external one, which may replace a shipped one, or `false`, which leaves a shipped one out',
    propertyNames: name,
    additionalProperties: {
      anyOf: [
        { const: false },
        exactly({
          from: optional({ type: 'string', maxLength: 4096, description: 'Path of the file; from ORB_HOME' }),
          config: optional({ ...open, description: 'Settings of the plugin' }),
        }),
      ],
    },
  }),
  adapters: optional({
    type: 'object',
    description: 'External adapters: `<capability>/<adapter>` → `from` (path of the file)',
    propertyNames: { pattern: '^[a-z0-9-]+/[a-z0-9-]+$', maxLength: 129 },
    additionalProperties: exactly({
      from: { type: 'string', maxLength: 4096, description: 'Path of the file; from ORB_HOME' },
    }),
  }),
  providers: optional({
    type: 'object',
    description:
      'Providers by name: an adapter, its `config`, and `limits` (`rate` as `count` in `window_s`, `concurrency`, and the `queue` in front of both, 256); the order here is the default order',
    propertyNames: name,
    additionalProperties: exactly({
      adapter: { type: 'string', maxLength: 129, description: 'Its adapter: `<capability>/<adapter>`' },
      config: optional({ ...open, description: 'Settings of the adapter' }),
      limits: optional({ ...providerLimits, description: 'How much it takes. Default: no limit' }),
    }),
  }),
  bindings: optional({
    type: 'object',
    description: 'Orb id → its providers in order. Default: all providers of the capability',
    additionalProperties: { ...names, minItems: 1, uniqueItems: true },
  }),
});

/** The environment variables of the server; any other `ORB_…` is a fault unless a {"$env"} names it. */
export const variables = {
  ORB_HOME: 'Folder of `data/` and `policies/`. Default: the working directory',
  ORB_STATE_DIR: 'Store, keys, outbox, caches. Default: `data/state` in ORB_HOME',
  ORB_NODE:
    'Name of this process in what it writes down: up to 64 of a-z, 0-9 and -. Default: one kept in the state dir',
  ORB_LISTEN: 'Address of the one listener when the file names none. Default: `127.0.0.1:8080`',
  ORB_PUBLIC_URL: 'Base of links. Default: `http://<listen>`',
  ORB_STORE_URL:
    'The PostgreSQL database that is the store: postgres://user:password@host:5432/database. Default: a file of the state dir',
  ORB_STORE_MIGRATION_URL:
    'The same database by the role that makes and changes its tables, and grants. Default: that of ORB_STORE_URL',
  ORB_MASTER_KEY: '32 bytes as 64 hex or base64url. Default: `master.key` in the state dir',
  ORB_POLICY_COMPILER: 'The policy compiler, a `.wasm` file. Default: the one built by Go or shipped',
  ORB_LOG_LEVEL: 'debug, info, warn, error or silent. Default: info',
  ORB_URL: 'Client side: address of the server. Default: `http://127.0.0.1:8080`',
  ORB_KEY: 'Client side: the API key. Default: `admin.key` in the state dir',
} as const;
