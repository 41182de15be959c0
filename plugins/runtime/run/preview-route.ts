import { orbId } from '../catalog/orb-id.ts';
import { orbManifest } from '../catalog/orb.ts';
import { orbisetParams } from '../catalog/orbiset.ts';
import type { Decided } from '../dispatch/run-record.ts';
import type { Execution } from './execution.ts';
import { asked, sandbox } from './run-routes.ts';
import { defineRoute, given, type Route, exactly, optional } from '../../../kernel/index.ts';
import { undecidedReason } from '../outcome/undecided.ts';

const text = { type: 'string' } as const;

const previewRequest = exactly('PreviewRequest', {
  ...asked,
  sandbox,
});

/** Schema of a preview of a run. */
export const preview = exactly('RunPreview', {
  orb_id: { ...orbId, description: 'Id of the Orb' },
  effect: { ...orbManifest.properties.effect, description: 'The effect of a run' },
  mode: { enum: ['live', 'sandbox'], description: '`sandbox`: nothing leaves the machine' },
  providers: {
    type: 'array',
    description: 'Providers that may serve it, in order; none: it would fail',
    items: exactly({
      name: { ...text, description: 'Name of the provider' },
      adapter: { ...text, description: 'Name of the adapter' },
      health: { enum: ['up', 'degraded', 'down', 'unknown'], description: 'Measured health' },
    }),
  },
  decision: {
    enum: ['allow', 'ask', 'deny', 'undecided'],
    description:
      '`ask`: people must approve the run first; `undecided`: the policy engine cannot decide now; a run would be denied',
  },
  reasons: { type: 'array', description: 'Why it would be denied, or needs an approval', items: { type: 'object' } },
  asks: optional({ type: 'array', description: 'Who must approve the run first', items: { type: 'object' } }),
  policies: { type: 'array', description: 'Policies that decided; none: the scopes of the key', items: text },
  described: optional({
    type: 'object',
    description: 'What plugins tell policies of the call, by members of `context`; absent: nothing',
  }),
  warns: { type: 'integer', description: 'Denials by policies in warn mode' },
  shadow_denies: { type: 'integer', description: 'Denials by policies in shadow mode' },
});

/** Answers `POST /orbisets/{id}/preview`: the decision about a run, without executing it. */
export const previewRoute = (execution: Pick<Execution, 'preview'>): Route =>
  defineRoute({
    method: 'POST',
    path: '/orbisets/{id}/preview',
    operationId: 'previewRun',
    service: 'runtime',
    scope: 'orbs:execute',
    target: ({ body }) => body.orb_id,
    summary: 'Check the inputs of a run and preview the decision; without any effect or log entry',
    params: orbisetParams,
    body: previewRequest,
    response: preview,
    problems: [
      'orb_not_found',
      'orbiset_not_found',
      'invalid_inputs',
      'provider_unavailable',
      'storage_unavailable',
      'overloaded',
    ],
    handle: async ({ params: { id: orbiset_id }, body, principal, client_ip }) =>
      shown(await execution.preview({ ...body, orbiset_id, principal, client_ip })),
  });

function shown({ orb, order, mode, decision, described }: Decided): object {
  const { asks, reasons = [], policies, warns, shadow_denies } = decision;
  const refused = asks === undefined ? 'deny' : 'ask';
  const { orb_id, manifest } = orb;
  const undecided = undecidedReason(decision) !== undefined;
  return {
    ...{ orb_id, effect: manifest.effect, mode, reasons, policies, warns, shadow_denies },
    providers: order.map(({ provider, health }) => ({
      ...{ name: provider.name, adapter: provider.adapter.name, health: health.health },
    })),
    decision: decision.allow ? 'allow' : undecided ? 'undecided' : refused,
    ...given({ asks, described }),
  };
}
