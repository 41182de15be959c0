import type { Binding, Slot } from '../provider/binding.ts';
import type { Orb } from '../catalog/orb.ts';
import type { Run } from '../dispatch/run-record.ts';
import type { RunFact, Standing, StandingPort } from '../facts/facts.ts';
import { type PluginScope, timestamp, type AccessRequest, type Principal } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

/** The parts that all questions share. */
export interface QuestionOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'version'> {
  readonly installation: string;
}

/** Builds the question `execute` of a run in AuthZEN's four words; a policy sees nothing else of the run. */
export function executeQuestion(run: Run, options: QuestionOptions): AccessRequest {
  const { principal, orb, orbiset, standing, parsed } = run;
  const said = {
    ...frameOf(options, run.client_ip),
    orbiset: { id: orbiset.id, labels: orbiset.labels ?? {} },
    inputs: run.inputs,
    inputs_bytes: run.inputs_bytes,
    delivery: run.delivery ?? 'at_most_once',
    approvals: run.answered?.approved ?? none,
    providers: run.order.map(providerView),
    channel: run.channel ?? http,
  };
  const context = parsed !== undefined && 'values' in parsed ? { ...said, parsed: parsed.values } : said;
  return { subject: subjectOf(principal), action: execute, resource: partsOf(orb, standing).resource, context };
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

/** The parts of questions and facts that describe an Orb. */
export interface OrbParts extends Pick<RunFact['facts'], 'orb' | 'data' | 'latency'> {
  /** The resource of a question. */
  readonly resource: AccessRequest['resource'];
  /**
   * The action of a run that does not ask for more than one delivery and was not ended by the caller's own deadline.
   */
  readonly action: RunFact['facts']['action'];
}

const known = new WeakMap<Orb, { readonly standing: Standing; readonly parts: OrbParts }>();

/**
 * Makes the parts for an Orb of this standing. The same deeply frozen objects are returned as long as their content is
 * the same, so that callers need not check or serialise them again.
 */
export function partsOf(orb: Orb, standing: Standing): OrbParts {
  const found = known.get(orb);
  if (found !== undefined && saysTheSame(found.standing, standing)) return found.parts;
  const parts = make(orb, standing);
  known.set(orb, { standing, parts });
  return parts;
}

function saysTheSame(one: Standing, other: Standing): boolean {
  return (
    one.tier === other.tier && one.state === other.state && one.score === other.score && one.signed === other.signed
  );
}

function make(orb: Orb, { signed, tier, score, state }: Standing): OrbParts {
  const { manifest, namespace, name, version, digest } = orb;
  const classes = Object.freeze([...(manifest.data_classes ?? [])]);
  const objective_ms = manifest.latency_objective_ms;
  return {
    resource: Object.freeze({
      type: 'orb' as const,
      id: orb.orb_id,
      namespace,
      name,
      version,
      capability: manifest.capability,
      manifest_digest: digest,
      action_class: manifest.action_class,
      effect: manifest.effect,
      data_classes: classes,
      manifest_signed: signed,
      tier,
      score,
      state,
    }),
    action: Object.freeze({ class: manifest.action_class, effect: manifest.effect }),
    orb: Object.freeze({ manifest_digest: digest, manifest_signed: signed, tier, state }),
    data: Object.freeze({ classes }),
    ...(objective_ms === undefined ? {} : { latency: Object.freeze({ objective_ms }) }),
  };
}
