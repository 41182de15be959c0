import type { Orb } from './orb.ts';
import type { Standing } from '../facts/run.ts';
import type { RunFact } from '../facts/facts.ts';
import type { AccessRequest } from '../../../kernel/index.ts';

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
