import { canonical } from '../../../kernel/index.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** How a new version differs from the one before: by semver, what a caller must know of it. */
export type Change = 'patch' | 'minor' | 'major';

type Compared = Pick<OrbManifest, 'inputs_schema' | 'outputs_schema' | 'effect' | 'action_class'>;

/** Compares two manifests of one tool: texts only are a patch, added optional inputs are minor, all else is major. */
export function changeOf(before: Compared, after: Compared): Change {
  const same = (member: keyof Compared): boolean => canonical(before[member]) === canonical(after[member]);
  if (!same('outputs_schema') || !same('effect') || !same('action_class')) return 'major';
  if (same('inputs_schema')) return 'patch';
  return onlyAdds(before.inputs_schema, after.inputs_schema) ? 'minor' : 'major';
}

/** Answers the version that follows. */
export function nextVersion(version: string, change: Change): string {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  if (change === 'major') return `${major + 1}.0.0`;
  return change === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Orders versions without a pre-release part. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  const at = [0, 1, 2].find((place) => a?.[place] !== b?.[place]);
  return at !== undefined && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}

type Schema = OrbManifest['inputs_schema'];

function onlyAdds(before: Schema, after: Schema): boolean {
  const [{ properties: old, ...restBefore }, { properties: now, ...restAfter }] = [open(before), open(after)];
  if (canonical(restBefore) !== canonical(restAfter)) return false;
  const [held, holds] = [open(old), open(now)];
  return Object.entries(held).every(([name, schema]) => canonical(schema ?? null) === canonical(holds[name] ?? null));
}

function open(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
