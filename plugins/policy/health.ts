import type { Health } from '../../kernel/index.ts';
import type { Engine } from './engine.ts';

/** Says how policy is: down without a revision, degraded while the folder holds something that is not served. */
export function healthOf(engine: Engine): { readonly health: Health; readonly reason?: string } {
  if (engine.active === undefined) return { health: 'down', reason: 'no policy revision is active' };
  if (engine.rejected === undefined) return { health: 'up' };
  return { health: 'degraded', reason: 'the folder is not served; see GET /policies/-/status' };
}
