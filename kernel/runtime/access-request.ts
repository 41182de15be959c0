import type { AccessRequest } from '../access.ts';
import { timestamp } from '../clock.ts';
import type { Run } from './record.ts';
import type { Orb } from './orb.ts';

/** What the question holds beside the run. */
export interface RequestFrame {
  readonly decision_id: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly installation: string;
  readonly version: string;
}

/** Builds the question `execute` of a run in AuthZEN's four words: all that a policy may see. */
export function accessRequest(run: Run, { decision_id, now, installation, version }: RequestFrame): AccessRequest {
  const { principal, orb, orbiset, standing } = run;
  return {
    subject: { type: 'principal', ...principal },
    action: execute,
    resource: {
      ...resourceOf(orb),
      manifest_signed: standing.signed,
      tier: standing.tier,
      score: standing.score,
      state: standing.state,
    },
    context: {
      schema: 1,
      time: timestamp(now),
      time_ns: `${now}000000`,
      decision_id,
      installation,
      service_version: version,
      client_ip: run.client_ip,
      orbiset: { id: orbiset.id, labels: orbiset.labels ?? {} },
      inputs: run.inputs,
      inputs_bytes: run.inputs_bytes,
      delivery: run.delivery ?? 'at_most_once',
      providers: run.order.map(({ provider, transport, generation }) => ({
        name: provider.name,
        adapter: provider.adapter.name,
        health: transport.health(),
        generation: generation?.number ?? 0,
      })),
    },
  };
}

const execute = Object.freeze({ name: 'execute' as const });

// The manifest's part never changes: made once per Orb.
const resources = new WeakMap<Orb, AccessRequest['resource']>();

function resourceOf(orb: Orb): AccessRequest['resource'] {
  const known = resources.get(orb);
  if (known !== undefined) return known;
  const { manifest, namespace, name, version, digest } = orb;
  const resource = Object.freeze({
    type: 'orb' as const,
    id: orb.orb_id,
    namespace,
    name,
    version,
    capability: manifest.capability,
    manifest_digest: digest,
    action_class: manifest.action_class,
    effect: manifest.effect,
    data_classes: manifest.data_classes ?? [],
  });
  resources.set(orb, resource);
  return resource;
}
