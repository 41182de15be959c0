import { holds, PlatformError, type Principal } from '../../../kernel/index.ts';
import type { ModelView } from '../../runtime/contract.ts';
import { chatOrb, embedOrb, type ModelsScope } from '../scope.ts';

/** Lists the models that a caller can use in an Orbiset, by name. Throws 404 `orbiset_not_found`. */
export function modelsFor(principal: Principal, orbisetId: string, { runtime }: ModelsScope): readonly ModelView[] {
  const allowed = [chatOrb, embedOrb].filter((orb) => holds(principal.scopes, 'orbs:execute', orb));
  const found = allowed.flatMap((orb) => runtime.modelsOf(orb, orbisetId, principal).list());
  const named = new Map(found.map((model) => [model.name, model]));
  return [...named.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Refuses a model that no provider of an Orb has. Throws 404 `model_not_found`, and of Orbiset. */
export function requireModel(
  model: string,
  {
    principal,
    orbiset_id,
    orb_id,
  }: { readonly principal: Principal; readonly orbiset_id: string; readonly orb_id: string },
  { runtime }: Pick<ModelsScope, 'runtime'>,
): void {
  // Without any provider the run says what is missing.
  if (!runtime.modelsOf(orb_id, orbiset_id, principal).admits(model)) throw noModel(model);
}

/** Makes the problem of a model that is not there. */
export function noModel(model: string): PlatformError {
  const detail = `there is no model ${JSON.stringify(model.slice(0, 128))}; GET /v1/models lists those of the key`;
  return new PlatformError('model_not_found', detail, { errors: [{ pointer: '#/model', detail: 'is unknown' }] });
}
