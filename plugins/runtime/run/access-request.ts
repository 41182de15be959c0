import type { Binding, Slot } from '../provider/binding.ts';
import type { Orb } from '../catalog/orb.ts';
import { partsOf } from '../catalog/orb-parts.ts';

import type { Run } from '../dispatch/run-record.ts';
import type { Standing, StandingPort } from '../facts/run.ts';
import {
  type AccessRequest,
  type Principal,
  timestamp,
  type Clock,
  type Ids,
  type Provider,
} from '../../../kernel/index.ts';

/** The parts that all questions share. */
export interface QuestionOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly installation: string;
  readonly version: string;
}

/** Builds the question `execute` of a run in AuthZEN's four words; a policy sees nothing else of the run. */
export function executeQuestion(run: Run, options: QuestionOptions): AccessRequest {
  const { principal, orb, orbiset, standing } = run;
  return {
    subject: subjectOf(principal),
    action: execute,
    resource: partsOf(orb, standing).resource,
    context: {
      ...frameOf(options, run.client_ip),
      orbiset: { id: orbiset.id, labels: orbiset.labels ?? {} },
      inputs: run.inputs,
      inputs_bytes: run.inputs_bytes,
      ...(run.parsed !== undefined && 'values' in run.parsed ? { parsed: run.parsed.values } : undefined),
      delivery: run.delivery ?? 'at_most_once',
      providers: run.order.map(providerView),
      approvals: none,
      channel: run.channel ?? http,
    },
  };
}

const http = Object.freeze({ kind: 'http' });
const none: readonly object[] = Object.freeze([]);

/** Builds the question `swap`. */
export function swapQuestion(
  asked: SwapQuestion,
  options: QuestionOptions & { readonly standing: StandingPort },
): AccessRequest {
  const { binding, target, targetHealth, principal, client_ip, rollback } = asked;
  const { orb, order, last_swap } = binding;
  const [active] = order;
  const now = options.clock.now();
  return {
    subject: subjectOf(principal),
    action: swap,
    resource: partsOf(orb, options.standing(orb.orb_id, principal.id, principal.tenant)).resource,
    context: {
      ...frameOf(options, client_ip),
      providers: order.map(providerView),
      swap: {
        ...(active === undefined ? {} : { from: active.provider.name }),
        to: target.name,
        to_adapter: target.adapter.name,
        to_sandbox: target.adapter.sandbox,
        to_health: targetHealth,
        rollback,
        in_flight: active?.generation?.in_flight ?? 0,
        ...(last_swap === undefined
          ? {}
          : { last_swap_age_s: Math.floor((now - Date.parse(last_swap.started_at)) / 1000) }),
      },
    },
  };
}

/** A plugin's question before an action on an Orb. */
export interface OrbQuestion {
  /** Name of the action. */
  readonly action: string;
  readonly principal: Principal;
  readonly client_ip: string;
  readonly orb_id: string;
  readonly standing: Standing;
  /** Members of the context in addition to those of every question. */
  readonly context: object;
}

/** Builds the question of a plugin. */
export function orbQuestion(asked: OrbQuestion, orb: Orb, options: QuestionOptions): AccessRequest {
  const { action, principal, client_ip, standing, context } = asked;
  return {
    subject: subjectOf(principal),
    action: { name: action },
    resource: partsOf(orb, standing).resource,
    context: { ...frameOf(options, client_ip), ...context },
  };
}

const execute = Object.freeze({ name: 'execute' as const });
const swap = Object.freeze({ name: 'swap' as const });

// Returns the same deeply frozen object for the same content, so that callers need not check or serialise it again. If
// an authenticator returns a principal that it may still change, the subject is made again each time.
const subjects = new WeakMap<Principal, AccessRequest['subject']>();

function subjectOf(principal: Principal): AccessRequest['subject'] {
  const known = subjects.get(principal);
  if (known !== undefined) return known;
  if (!Object.isFrozen(principal) || !Object.isFrozen(principal.scopes)) return { type: 'principal', ...principal };
  const subject = Object.freeze({ type: 'principal' as const, ...principal });
  subjects.set(principal, subject);
  return subject;
}

function frameOf({ clock, ids, installation, version }: QuestionOptions, client_ip: string): object {
  const now = clock.now();
  return {
    schema: 1,
    time: timestamp(now),
    time_ns: `${now}000000`,
    decision_id: ids('dec'),
    installation,
    service_version: version,
    client_ip,
  };
}

function providerView({ provider, health, generation }: Slot): object {
  return {
    name: provider.name,
    adapter: provider.adapter.name,
    health: health.health,
    generation: generation?.number ?? 0,
  };
}

/** The subject matter of the question of a swap. */
export interface SwapQuestion {
  readonly binding: Binding;
  readonly target: Provider;
  readonly targetHealth: string;
  readonly principal: Principal;
  readonly client_ip: string;
  readonly rollback: boolean;
}
