import { exactly, optional } from '../tools/schema.ts';
import { logFormats, logLevels } from '../tools/log/level.ts';
import { apiServices } from '../http/route/route.ts';

const name = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 64 } as const;
const names = { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 100 } as const;
const open = { type: 'object' } as const;
// One member of the file each.
const integer = (minimum: number, maximum: number, description: string) =>
  ({ type: 'integer', minimum, maximum, description }) as const;
const flag = (description: string) => ({ type: 'boolean', description }) as const;
const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description }) as const;
const url = (description: string) =>
  ({ type: 'string', pattern: '^https?://[^/]+$', maxLength: 500, description }) as const;

// An object with these members.
const part = <const P extends object>(description: string, members: P) =>
  ({ ...exactly(members), description }) as const;

const rate = part('Number of runs per time window', {
  count: integer(1, 1_000_000, 'Number of runs'),
  window_s: integer(1, 86_400, 'Length of the window in seconds'),
});

/** Schema of a limit of rate and concurrency. */
export const limit = exactly({
  rate: optional(rate),
  concurrency: optional(integer(1, 10_000, 'Number of runs at the same time')),
});

const providerLimits = {
  type: 'object',
  additionalProperties: false,
  anyOf: [{ required: ['concurrency'] }, { required: ['rate'] }],
  properties: {
    rate,
    concurrency: integer(1, 10_000, 'Number of runs at the same time'),
    queue: { ...integer(0, 100_000, 'How many runs may wait for both limits. Default: 256'), default: 256 },
  },
} as const;

/** Schema of `data/platform.json`; unknown members are faults. The documentation lists its members. */
export const platformFile = exactly({
  listen: optional({
    type: 'array',
    minItems: 1,
    maxItems: 16,
    description:
      'Listeners; each serves some or all of the four services. Default: one at ORB_LISTEN with all services.',
    items: exactly({
      address: text(200, '`host:port`, `[v6]:port`'),
      services: optional({
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { enum: apiServices },
        description: 'Default: all four',
      }),
      public_url: optional(
        url('Base URL of links to these services. Default: `public_url` for the first listener, else the address'),
      ),
      tls: optional(
        part('Serve HTTPS; changed files are loaded without a restart', {
          cert: { description: 'PEM, as {"$file": …}' },
          key: { description: 'PEM, as {"$file": …}' },
        }),
      ),
    }),
  }),
  public_url: optional(url('Base URL of links; ORB_PUBLIC_URL has priority')),
  site: optional(
    part('Name, notice, color and logo of all pages. Default: those of the program', {
      name: optional({ ...text(60, 'Name of this installation'), minLength: 1 }),
      notice: optional({ ...text(200, 'A sentence at the top of every page. Default: none'), minLength: 1 }),
      accent: optional({ type: 'string', pattern: '^#[0-9a-fA-F]{6}$', description: 'Color of buttons: `#rrggbb`' }),
      logo: optional({
        ...text(4096, 'A square SVG or PNG file of at most 64 KiB; relative to ORB_HOME'),
        minLength: 1,
      }),
    }),
  ),
  trust_proxy: optional({
    ...names,
    description: 'CIDRs of TLS proxies whose X-Forwarded-* are trusted. Default: none',
  }),
  connections: optional(
    part(
      'Maximum number of open connections: `total`, and `per_address` (except proxies in `trust_proxy`). Default: half the file descriptors of the process, at most 8192; half of that, at most 1024',
      {
        total: optional(integer(16, 1_000_000, 'All addresses together')),
        per_address: optional(integer(8, 1_000_000, 'Per address')),
      },
    ),
  ),
  insecure_http: optional(flag('Accept keys over plain HTTP on a listener that is not loopback. Default: false')),
  store: optional(
    part('The PostgreSQL database to use as the store; ORB_STORE_URL has priority. Default: a file in the state dir', {
      url: optional({ description: 'postgres://user@host:5432/database, as {"$env": …} or {"$file": …}' }),
      migration_url: optional({
        description: 'The same database with the role that creates its tables, as {"$env": …} or {"$file": …}',
      }),
      several_nodes: optional(
        flag('Serve at the same time as the other nodes of the database, instead of as a standby. Default: false'),
      ),
    }),
  ),
  insecure_store: optional(flag('Allow a database on another machine without verified TLS. Default: false')),
  log_level: optional({ enum: [...logLevels], description: 'ORB_LOG_LEVEL has priority. Default: info' }),
  log_format: optional({
    enum: [...logFormats],
    description: 'Format of the log. Default: text when standard error is a terminal, else json',
  }),
  authorize: optional({
    ...name,
    description: 'The plugin that authorizes runs, swaps and publications. Default: policy',
  }),
  drain_notice_ms: optional(
    integer(
      0,
      60_000,
      'How long shutdown still serves after /health/ready answers 503, so that a load balancer stops sending requests before the port closes. Default: 0',
    ),
  ),
  drain_ms: optional(integer(0, 600_000, 'How long shutdown waits for open requests. Default: 30000')),
  limits: optional(
    part('Limits of the runs of one key: `key.rate` (`count` in `window_s`) and `key.concurrency`. Default: none', {
      key: optional({ ...limit, description: 'Limits of one key' }),
    }),
  ),
  swap_drain_ms: optional(
    integer(0, 600_000, 'How long unmetered runs may finish on the old provider after a swap. Default: 30000'),
  ),
  plugins: optional({
    type: 'object',
    description:
      'Plugins by name: `config` for a shipped one; `from` (path of the file) and `config` for an external one, which may replace a shipped one; `false` disables a shipped one',
    propertyNames: name,
    additionalProperties: {
      anyOf: [
        { const: false },
        exactly({
          from: optional(text(4096, 'Path of the file; relative to ORB_HOME')),
          config: optional({ ...open, description: 'Settings of the plugin' }),
        }),
      ],
    },
  }),
  adapters: optional({
    type: 'object',
    description: 'External adapters: `<capability>/<adapter>` → `from` (path of the file)',
    propertyNames: { pattern: '^[a-z0-9-]+/[a-z0-9-]+$', maxLength: 129 },
    additionalProperties: exactly({ from: text(4096, 'Path of the file; relative to ORB_HOME') }),
  }),
  providers: optional({
    type: 'object',
    description:
      'Providers by name: an adapter, its `config`, and `limits` (`rate` as `count` in `window_s`, `concurrency`, and the `queue` for both, default 256); the order here is the default order',
    propertyNames: name,
    additionalProperties: exactly({
      adapter: text(129, 'Its adapter: `<capability>/<adapter>`'),
      config: optional({ ...open, description: 'Settings of the adapter' }),
      limits: optional({ ...providerLimits, description: 'Its limits. Default: none' }),
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
  ORB_STATE_DIR: 'Folder of the store, keys, outbox and caches. Default: `data/state` in ORB_HOME',
  ORB_NODE: 'Name of this node: up to 64 of a-z, 0-9 and -. Default: a name kept in the state dir',
  ORB_LISTEN: 'Address of the only listener, if platform.json has none. Default: `127.0.0.1:8080`',
  ORB_PUBLIC_URL: 'Base URL of links. Default: `http://<listen>`',
  ORB_STORE_URL:
    'The PostgreSQL database to use as the store: postgres://user:password@host:5432/database. Default: a file in the state dir',
  ORB_STORE_MIGRATION_URL:
    'The same database with the role that creates and changes its tables and grants rights. Default: ORB_STORE_URL',
  ORB_MASTER_KEY: 'Master key: 32 bytes as 64 hex digits or base64url. Default: `master.key` in the state dir',
  ORB_POLICY_COMPILER: 'The policy compiler, a `.wasm` file. Default: the one built with Go, or the shipped one',
  ORB_LOG_LEVEL: 'debug, info, warn, error or silent. Default: info',
  ORB_URL: 'Client side: address of the server. Default: `http://127.0.0.1:8080`',
  ORB_KEY: 'Client side: the API key. Default: `admin.key` in the state dir',
} as const;
