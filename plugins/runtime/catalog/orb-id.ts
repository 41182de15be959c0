import { exactly } from '../../../kernel/index.ts';

// Semantic Versioning 2.0.0 §9–10, without leading zeros.
const semver =
  '(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-((0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\\+([0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*))?';

const label = '[a-z0-9]([a-z0-9_-]*[a-z0-9])?';

/** Pattern of a namespace: one label or more. */
export const orbNamespace = `${label}(\\.${label})*`;

/** Pattern that selects Orbs: `ns.*`, or one id. */
export const orbSelector = `^${orbNamespace}(\\.\\*|\\.${label}@[0-9A-Za-z.+-]+)$`;

/** Schema of an Orb id: `<namespace>.<orb-name>@<version>`. */
export const orbId = {
  title: 'OrbId',
  type: 'string',
  maxLength: 200,
  pattern: `^${label}(\\.${label})+@${semver}$`,
  examples: ['notify.email@1.0.0'],
} as const;

/** Parameters of the path of an Orb. */
export const orbParams = exactly({ orb_id: { type: 'string', maxLength: 200, description: 'Id of the Orb' } });

/** Schema of an Orb id, or of a bare name, which means its newest active version. */
export const orbIdOrName = {
  ...orbId,
  title: 'OrbIdOrName',
  pattern: `^${label}(\\.${label})+(@${semver})?$`,
  description: 'An Orb, or a bare name for its newest active version',
} as const;

/** The parts of an Orb id. */
export interface OrbName {
  readonly orb_id: string;
  /** All but the last label, e.g. `notify`. */
  readonly namespace: string;
  /** The last label, e.g. `email`. */
  readonly name: string;
  readonly version: string;
}

/** Splits an Orb id that fits the schema. */
export function parseOrbId(id: string): OrbName {
  const at = id.indexOf('@');
  const dot = id.lastIndexOf('.', at);
  return { orb_id: id, namespace: id.slice(0, dot), name: id.slice(dot + 1, at), version: id.slice(at + 1) };
}
