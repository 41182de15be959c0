import type { Route } from '../../../kernel/index.ts';
import { evidenceRoute } from './evidence.ts';
import { exportRoutes } from './export.ts';
import { reputationRoutes } from './reputation.ts';
import type { RouteScope } from './scope.ts';
import { suspendRoutes } from './suspend.ts';

/** Makes the routes of the ledger but those of certificates and badges. */
export function ledgerRoutes(scope: RouteScope): readonly Route[] {
  return [...reputationRoutes(scope), evidenceRoute(scope), ...suspendRoutes(scope), ...exportRoutes(scope)];
}
