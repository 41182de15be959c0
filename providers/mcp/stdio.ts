import { defineProvider, exactly, optional, type Infer, type Log } from '../../kernel/adapter.ts';
import { mcp } from './contract.ts';
import { connect } from './wire/client.ts';
import { openServer } from './wire/handle.ts';
import { openPipe } from './wire/pipe.ts';
import { UpstreamServer } from './wire/server.ts';
import { peerIdempotency, serverSettings } from './wire/settings.ts';

const config = exactly({
  command: {
    type: 'string',
    title: 'Program to run as the server',
    description: 'A program name on the PATH in `env`, or a path; it is started without a shell.',
    minLength: 1,
    maxLength: 4096,
  },
  args: optional({
    type: 'array',
    title: 'Arguments of the program',
    maxItems: 256,
    default: [],
    items: { type: 'string', maxLength: 8192 },
  }),
  cwd: optional({ type: 'string', title: 'Working directory of the program', minLength: 1, maxLength: 4096 }),
  env: optional({
    type: 'object',
    title: 'Environment of the program',
    description:
      'The program gets only these variables and a PATH of the system folders. A value may be {"$env"} or {"$file"}.',
    maxProperties: 256,
    default: {},
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 256 },
    additionalProperties: { type: 'string', maxLength: 32768 },
  }),
  sessions: optional({
    enum: ['shared', 'per_principal', 'per_run'],
    title: 'Who shares a process',
    description: 'per_principal: each principal has its own process, up to 16.',
    default: 'shared',
  }),
  start_timeout_ms: optional({
    type: 'integer',
    title: 'Time limit for starting',
    description: 'Until it has answered the first request. A program that is downloaded first takes longer.',
    minimum: 100,
    maximum: 600000,
    default: 60000,
  }),
  max_restarts_per_min: optional({
    type: 'integer',
    title: 'Maximum number of restarts per minute',
    minimum: 0,
    maximum: 60,
    default: 5,
  }),
  ...serverSettings,
});

/**
 * Calls tools of an MCP server that is a program: it runs as long as a provider of this configuration is open, as our
 * user, and so can read what we can. It is started again when it ends, later each time.
 */
export default defineProvider({
  name: 'stdio',
  capability: mcp,
  about: 'Calls tools of an MCP server that runs as a program on this server.',
  config,
  idempotency: { kind: 'none' },
  idempotencyOf: peerIdempotency,
  open: (scope) => openServer('mcp/stdio', scope, serverOf),
});

function serverOf(settings: Infer<typeof config>, log: Log): UpstreamServer {
  return new UpstreamServer({
    dial: (options) => connect({ kind: 'pipe', pipe: openPipe(settings, log) }, { ...options, era: settings.era }),
    sharing: settings.sessions,
    mostSessions: 16,
    tools: settings.tools,
    maxRestartsPerMin: settings.max_restarts_per_min,
    longestDelayMs: 60_000,
    connectMs: settings.start_timeout_ms,
    log,
  });
}
