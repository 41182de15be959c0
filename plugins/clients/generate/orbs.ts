import { canonical, digest } from '../../../kernel/index.ts';

/** The schemas of an Orb, as the server shows it. */
export interface OrbSchemas {
  readonly orb_id: string;
  readonly inputs_schema: unknown;
  readonly outputs_schema: unknown;
}

/** An Orb whose types are written. */
export interface TypedOrb extends OrbSchemas {
  /** `sha256:…` over both schemas. */
  readonly digest: string;
}

/** Sorts Orbs by their id, and adds the digests of their schemas. */
export function typedOrbs(orbs: readonly OrbSchemas[]): readonly TypedOrb[] {
  return [...orbs]
    .sort((one, other) => (one.orb_id < other.orb_id ? -1 : 1))
    .map(({ inputs_schema, orb_id, outputs_schema }) => ({
      ...{ orb_id, inputs_schema, outputs_schema },
      digest: digest(canonical({ inputs_schema, outputs_schema })),
    }));
}

/** Writes the head of a file of types: the same Orbs give the same lines. `mark`: that of a comment. */
export function headOf(orbs: readonly TypedOrb[], server: string, mark: string): string {
  const lines = [
    `Types of Orbs, written by \`orb client types\` for ${server}. Do not edit it.`,
    ...orbs.map((orb) => `${orb.orb_id} ${orb.digest}`),
  ];
  return lines.map((line) => `${mark} ${line}`).join('\n');
}

/** Lists the Orbs that differ from those of a file of types: added, removed or changed. */
export function differences(file: string, orbs: readonly TypedOrb[]): readonly string[] {
  const lines = [...file.matchAll(/^(?:\/\/|#) (\S+@\S+) (sha256:[0-9a-f]{64})$/gm)];
  const written = new Map(lines.map(([, orb = '', found = '']) => [orb, found]));
  const now = new Map(orbs.map((orb) => [orb.orb_id, orb.digest]));
  const gone = [...written.keys()].filter((orb) => !now.has(orb)).map((orb) => `${orb}: it is not there any more`);
  const differ = [...now]
    .filter(([orb, found]) => written.get(orb) !== found)
    .map(([orb]) => `${orb}: ${written.has(orb) ? 'its schemas have changed' : 'it is new'}`);
  return [...gone, ...differ].sort();
}
