import type { Route } from '../../../kernel/index.ts';
import { checkRoutes } from './check.ts';
import { decisionRoutes } from './decisions.ts';
import { dryRunRoute } from './dry-run.ts';
import { policyRoutes } from './policies.ts';
import { revisionRoutes } from './revisions.ts';
import type { RouteScope } from './scope.ts';
import { statusRoutes } from './status.ts';

/** Makes all routes of the policy service. */
export function policyServiceRoutes(scope: RouteScope): readonly Route[] {
  return [
    ...policyRoutes(scope),
    ...checkRoutes(scope),
    ...statusRoutes(scope),
    ...revisionRoutes(scope),
    ...decisionRoutes(scope),
    dryRunRoute(scope),
  ];
}
