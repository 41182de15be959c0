import type { Bindings } from '../provider/bindings.ts';
import { parseInputs, type InputParsers } from '../provider/input-parser.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Orb } from '../catalog/orb.ts';
import { admitsOrb, admitsProvider, orbisetOf } from '../catalog/orbiset.ts';
import { invalidInputs, unfitMember } from '../catalog/invalid-inputs.ts';
import { unknownOrbIn } from '../catalog/unknown-orb.ts';
import type { Slot } from '../provider/binding.ts';
import type { Run, RunRequest } from '../dispatch/run-record.ts';
import type { StandingPort } from '../facts/facts.ts';
import { type PluginScope, type Principal, canonical, PlatformError } from '../../../kernel/index.ts';
import type { Adapter } from '../../../kernel/adapter.ts';

/** The dependencies of accepting. */
export interface AcceptOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'store'> {
  readonly catalog: Catalog;
  readonly parsers: InputParsers;
  readonly bindings: Bindings;
  readonly standing: StandingPort;
}

/**
 * Accepts a run: fixes its standing, mode and order of providers. Every refusal of a run without a receipt is here: 404
 * of Orbiset and Orb, 422 of inputs and timeout, 503 when the store could not record the result, or this node has not
 * learned which provider is bound.
 */
export function accept(request: RunRequest, options: AcceptOptions): Run {
  const { catalog, parsers, bindings, store, standing, clock, ids } = options;
  const begun = clock.monotonic();
  const orbiset = orbisetOf(catalog.orbisets, request.orbiset_id, request.principal);
  const orb = catalog.orbs.get(request.orb_id);
  if (orb === undefined || !admitsOrb(orbiset, orb.orb_id))
    throw unknownOrbIn(orbiset, request.orb_id, request.principal, catalog);
  checkTimeout(request, orb);
  const inputs_text = checkInputs(request.inputs, orb, bindings);
  store.admit();
  const bound = request.pinned === undefined ? boundTo(bindings, orb) : [request.pinned()];
  // Any adapter of a shipped capability is called with inputs that the parser of the capability accepts.
  const parser = parsers.get(orb.manifest.capability) ?? bound[0]?.provider.adapter.parse;
  const principal = request.sandbox === true ? asTest(request.principal) : request.principal;
  const sandbox = principal.mode === 'test' || bound[0]?.provider.adapter.sandbox === true;
  const order = bound.filter(
    ({ provider }) => provider.adapter.sandbox === sandbox && admitsProvider(orbiset, provider.name),
  );
  if (request.later !== true && order[0]?.queue?.isFull(orbiset.tenant) === true)
    throw new PlatformError('overloaded', 'too many runs are waiting for the provider; wait as Retry-After says', {
      retry_after: 1,
    });
  // Before the id is made: who lists runs from this time on finds the run by the time in its id.
  const accepted_at = clock.now();
  return {
    ...request,
    principal,
    run_id: request.waited?.run_id ?? ids('run'),
    orb,
    orbiset,
    inputs_text,
    inputs_bytes: Buffer.byteLength(inputs_text),
    parsed: parser && parseInputs(parser, request.inputs),
    standing: standingOf(request, standing),
    mode: sandbox ? 'sandbox' : 'live',
    order,
    bound,
    lease: order[0]?.generation?.lease(),
    accepted_at,
    begun,
  };
}

function boundTo(bindings: Bindings, { orb_id }: Orb): readonly Slot[] {
  const binding = bindings.find(orb_id);
  if (binding?.outdated !== true) return binding?.order ?? [];
  const detail = `another node swapped the provider of ${orb_id}, and this node is not up to date yet; call again`;
  throw new PlatformError('provider_unavailable', detail, { retry_after: 1 });
}

// Reputation counts no run without a pseudonym of its caller.
function standingOf({ orb_id, pinned, principal }: RunRequest, standing: StandingPort): Run['standing'] {
  const known = standing(orb_id, principal.id, principal.tenant);
  if (pinned === undefined) return known;
  const { caller_ref: _, ...rest } = known;
  return rest;
}

// A caller may always ask for less than its key allows.
function asTest(principal: Principal): Principal {
  return principal.mode === 'test' ? principal : Object.freeze({ ...principal, mode: 'test' });
}

// What the capability says of its inputs, as the first provider of the Orb that says it.
function meaningsOf({ orb_id }: Orb, bindings: Bindings): Adapter['inputs'] {
  return bindings.find(orb_id)?.order.find(({ provider }) => provider.adapter.inputs !== undefined)?.provider.adapter
    .inputs;
}

function checkTimeout({ timeout_ms }: RunRequest, { manifest }: Orb): void {
  if (timeout_ms === undefined || timeout_ms <= manifest.timeout_ms) return;
  throw unfitMember('timeout_ms', `must be at most the Orb's own ${manifest.timeout_ms}`);
}

function checkInputs(inputs: Readonly<Record<string, unknown>>, orb: Orb, bindings: Bindings): string {
  const faults = orb.inputs.validate(inputs);
  if (faults.length > 0) throw invalidInputs(orb, faults, meaningsOf(orb, bindings));
  // Ill-formed Unicode, which has no canonical form, was already refused with the body.
  return canonical(inputs);
}
