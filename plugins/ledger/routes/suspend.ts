import {
  defineRoute,
  exactly,
  optional,
  PlatformError,
  timestamp,
  type Principal,
  type Route,
} from '../../../kernel/index.ts';
import type { StandingChange } from '../fact/standing.ts';
import type { RouteScope } from './scope.ts';
import { orbParams } from './visible.ts';
import { problems } from '../problems.ts';
import { unknownOrb } from '../../runtime/contract.ts';

const body = exactly('SuspensionRequest', {
  reason: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    pattern: '\\S',
    description: 'The reason; it stays in the log',
  },
  incident_id: optional({
    type: 'string',
    pattern: '^inc_[0-9A-HJKMNP-TV-Z]{26}$',
    examples: ['inc_01JD3M8QK4T5V6W7X8Y9Z0A1B2'],
    description: 'The incident behind it',
  }),
});

const answer = exactly('Suspension', {
  orb_id: { type: 'string', description: 'Id of the Orb' },
  state: { enum: ['active', 'suspended'], description: 'Its current state' },
  suspension_causes: optional({
    type: 'array',
    items: { type: 'string' },
    description: 'Remaining causes of suspension',
  }),
  receipt_id: { type: 'string', description: 'Receipt of the change' },
});

/** Makes the routes with which an operator suspends an Orb and lifts the suspension, with an attested reason. */
export function suspendRoutes(scope: RouteScope): readonly Route[] {
  const route = (path: 'suspend' | 'reinstate', change: 'suspended' | 'lifted', summary: string): Route =>
    defineRoute({
      method: 'POST',
      service: 'ledger',
      scope: 'reputation:suspend',
      path: `/reputation/{orb_id}/${path}`,
      operationId: `${path}Orb`,
      live: true,
      summary,
      params: orbParams,
      body,
      response: answer,
      problems: ['orb_not_found', problems.standing_conflict],
      handle: ({ params, body: asked, principal }) => changed(scope, params.orb_id, change, asked, principal),
    });
  return [
    route('suspend', 'suspended', 'Suspend an Orb; its tier becomes none at once'),
    route('reinstate', 'lifted', "Lift an operator's suspension; other causes remain"),
  ];
}

async function changed(
  { desk, ledger, platform, clock, sight }: RouteScope,
  orbId: string,
  change: 'suspended' | 'lifted',
  { reason, incident_id }: { readonly reason: string; readonly incident_id?: string },
  principal: Principal,
): Promise<object> {
  if (!sight.isNamed(orbId) && !sight.catalog.orbs.has(orbId)) throw unknownOrb(orbId, sight.catalog.orbs.keys());
  await ledger.settled();
  const suspended = desk.causes(orbId).includes('operator');
  if (suspended === (change === 'suspended'))
    throw new PlatformError(
      problems.standing_conflict,
      suspended ? `an operator has already suspended ${orbId}` : `no operator has suspended ${orbId}`,
    );
  const { receipt_id } = await platform.attest<StandingChange>({
    fact: {
      kind: 'standing',
      at: timestamp(clock.now()),
      orb_id: orbId,
      facts: { change, reason, principal: principal.id, ...(incident_id === undefined ? {} : { incident_id }) },
    },
    operations: () => [],
  });
  await ledger.settled();
  const causes = desk.causes(orbId);
  const state = causes.length > 0 ? 'suspended' : 'active';
  return { orb_id: orbId, state, suspension_causes: causes, receipt_id };
}
