import type { PluginScope } from '../../../kernel/index.ts';
import type { Engine, EngineOptions } from '../decide/engine.ts';
import type { Changes } from '../revisions/changes.ts';
import type { Tally } from '../decide/tally.ts';

/** What the routes of policies work on. */
export interface RouteScope
  extends Omit<EngineOptions, 'shipped'>, Pick<PluginScope<unknown, never>, 'ids' | 'version'> {
  readonly engine: Engine;
  readonly changes: Changes;
  readonly tally: Tally;
}

/** What the routes have in common that read policies. */
export const reading = { service: 'policy', scope: 'policies:read', method: 'GET' } as const;

/** What the routes have in common that check policies and write drafts. */
export const writing = { service: 'policy', scope: 'policies:write' } as const;

/** What the routes have in common that change the policies in force. */
export const activating = { service: 'policy', scope: 'policies:activate', live: true, reads: ['If-Match'] } as const;
