import { createHash } from 'node:crypto';
import { canonical } from '../../../kernel/index.ts';
import { shapeOf, type Shape } from './schema.ts';

/** The schemas of an Orb, as the server shows it. */
export interface OrbSchemas {
  readonly orb_id: string;
  readonly inputs_schema: unknown;
  readonly outputs_schema: unknown;
}

/** An Orb whose types are written. */
export interface TypedOrb {
  readonly orb_id: string;
  readonly inputs: Shape;
  readonly outputs: Shape;
  /** `sha256:…` over both schemas. */
  readonly digest: string;
}

/** Reads the schemas of Orbs as shapes, by id. */
export function typedOrbs(orbs: readonly OrbSchemas[]): readonly TypedOrb[] {
  return [...orbs]
    .sort((one, other) => (one.orb_id < other.orb_id ? -1 : 1))
    .map(({ inputs_schema, orb_id, outputs_schema }) => ({
      orb_id,
      inputs: shapeOf(inputs_schema),
      outputs: shapeOf(outputs_schema),
      digest: `sha256:${createHash('sha256').update(canonical({ inputs_schema, outputs_schema })).digest('hex')}`,
    }));
}

/** The lines at the head of a file of types: the same Orbs give the same lines. */
export function headOf(orbs: readonly TypedOrb[], server: string): readonly string[] {
  return [
    `Types of Orbs, written by \`orb client types\` for ${server}. Do not edit it.`,
    ...orbs.map(({ digest, orb_id }) => `${orb_id} ${digest}`),
  ];
}

/** Lists the Orbs that differ from those of a file of types: added, removed or changed. */
export function differences(file: string, orbs: readonly TypedOrb[]): readonly string[] {
  const lines = [...file.matchAll(/^(?:\/\/|#) (\S+@\S+) (sha256:[0-9a-f]{64})$/gm)];
  const written = new Map(lines.map(([, orb = '', digest = '']) => [orb, digest]));
  const now = new Map(orbs.map(({ digest, orb_id }) => [orb_id, digest]));
  const all = [...new Set([...written.keys(), ...now.keys()])].sort();
  return all.flatMap((orb) => {
    if (written.get(orb) === now.get(orb)) return [];
    if (!now.has(orb)) return [`${orb}: it is not there any more`];
    return [written.has(orb) ? `${orb}: its schemas have changed` : `${orb}: it is new`];
  });
}
