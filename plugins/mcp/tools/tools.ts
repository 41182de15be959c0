import compare from 'semver/functions/compare.js';
import major from 'semver/functions/major.js';
import prerelease from 'semver/functions/prerelease.js';
import { isMembers, type Members } from '../wire/wire.ts';
import { executionResult, type Orb, type Orbiset } from '../../runtime/contract.ts';

/** The tool that answers how a run of the caller ended. */
export const statusTool = 'orb_run_status';

/** An Orb that a key may run, with the facts that its tool shows in addition to the manifest. */
export interface Offered {
  readonly orb: Orb;
  readonly tier: string;
  /** What its capability says of its inputs, by name. */
  readonly meanings: Readonly<Record<string, string>>;
  /** It was published, and is not to be used any more. */
  readonly deprecated: boolean;
}

/** What the tools of a list are made from. */
export interface ToolsOf {
  readonly orbiset: Orbiset;
  readonly offered: readonly Offered[];
  /** The key has the mode `test`: only sandbox providers serve it. */
  readonly sandbox: boolean;
}

/** A tool as `tools/list` shows it. */
export interface Tool extends Members {
  readonly name: string;
}

/** The tools of a key, sorted by name; `left`: Orbs that have none, with the reason. */
export type Tools = ReturnType<typeof toolsOf>;

/** Makes the tools of a key. */
export function toolsOf({ orbiset, offered, sandbox }: ToolsOf) {
  const left: { orb_id: string; reason: string }[] = [];
  const leave = (orb: Orb, reason: string): void => void left.push({ orb_id: orb.orb_id, reason });
  const usable = offered.filter(({ orb }) => {
    const reason = unfit(orb);
    if (reason !== undefined) leave(orb, reason);
    return reason === undefined;
  });
  const named = new Map<string, Offered>();
  for (const [name, all] of namesOf(chosenVersions(orbiset, usable), orbiset)) {
    const [first, ...rest] = all;
    const reason = refusedName(name, rest.length > 0);
    if (first !== undefined && reason === undefined) named.set(name, first);
    else for (const { orb } of all) leave(orb, `${name}: ${reason ?? ''}`);
  }
  const sorted = [...named].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    tools: sorted.map(([name, one]) => toolOf(name, one, { sandbox })),
    orbs: new Map(sorted.map(([name, { orb }]) => [name, orb])),
    left,
  };
}

function unfit({ manifest: { inputs_schema } }: Orb): string | undefined {
  if (isMembers(inputs_schema) && (inputs_schema['type'] === 'object' || Object.keys(inputs_schema).length === 0))
    return undefined;
  return 'its inputs_schema is not that of an object; give it "type": "object"';
}

function refusedName(name: string, shared: boolean): string | undefined {
  if (name === statusTool) return 'the name is that of a tool of the platform; rename it in the Orbiset';
  if (shared) return 'several Orbs would have this name; rename them in the Orbiset';
  return /^[A-Za-z0-9_-]{1,64}$/.test(name)
    ? undefined
    : 'a name of a tool has at most 64 characters; rename it in the Orbiset';
}

const bareName = ({ namespace, name }: Orb): string => `${namespace}.${name}`;

/** Chooses one version of each major: the newest that the Orbiset names exactly, else the newest that is in use. */
function chosenVersions(orbiset: Orbiset, offered: readonly Offered[]): readonly Offered[] {
  const pinned = new Set(orbiset.orbs);
  const groups = Map.groupBy(offered, ({ orb }) => `${bareName(orb)} ${major(orb.version)}`);
  return [...groups.values()].flatMap((group) => {
    const exact = group.filter(({ orb }) => pinned.has(orb.orb_id));
    return [...(exact.length > 0 ? exact : group)].sort(byUse).slice(0, 1);
  });
}

function byUse(one: Offered, other: Offered): number {
  if (one.deprecated !== other.deprecated) return one.deprecated ? 1 : -1;
  const early = Number(prerelease(one.orb.version) !== null) - Number(prerelease(other.orb.version) !== null);
  return early || compare(other.orb.version, one.orb.version);
}

// The newest major has the plain name, an older one a suffix; an Orb that is called so itself keeps its name.
function namesOf(offered: readonly Offered[], { tools = {} }: Orbiset): ReadonlyMap<string, readonly Offered[]> {
  const renamed = (tools.names ?? {}) as Readonly<Record<string, string>>;
  const given = offered.filter(({ orb }) => renamed[orb.orb_id] !== undefined);
  const rest = offered.filter(({ orb }) => renamed[orb.orb_id] === undefined);
  const found = new Map<string, Offered[]>();
  const add = (name: string, one: Offered): void => void found.set(name, [...(found.get(name) ?? []), one]);
  for (const one of given) add(renamed[one.orb.orb_id] ?? '', one);
  const older: Offered[] = [];
  for (const versions of Map.groupBy(rest, ({ orb }) => bareName(orb)).values()) {
    const [newest, ...others] = [...versions].sort((a, b) => compare(b.orb.version, a.orb.version));
    if (newest !== undefined) add(plainName(newest.orb), newest);
    older.push(...others);
  }
  for (const one of older) {
    const name = `${plainName(one.orb)}_v${major(one.orb.version)}`;
    if (!found.has(name)) add(name, one);
  }
  return found;
}

function plainName(orb: Orb): string {
  return bareName(orb).replaceAll('.', '_');
}

const told = {
  none: 'Reads only.',
  idempotent: 'Repeating it changes nothing more.',
  reversible: 'Changes something that can be taken back.',
  irreversible: 'Cannot be taken back. If the outcome is unknown, do not call again.',
} as const;

function toolOf(name: string, { orb, tier, meanings }: Offered, { sandbox }: { readonly sandbox: boolean }): Tool {
  const { title, description, inputs_schema, outputs_schema, effect, timeout_ms } = orb.manifest;
  const inputs = inputs_schema as Members;
  return {
    name,
    title,
    description: `${description}\n${told[effect]}`,
    inputSchema: Object.keys(inputs).length === 0 ? { type: 'object' } : described(inputs, meanings),
    outputSchema: resultSchema(orb.orb_id, outputs_schema),
    annotations: { title, ...hintsOf(orb), openWorldHint: !sandbox },
    _meta: {
      'agent-orb/orb_id': orb.orb_id,
      'agent-orb/manifest_digest': orb.digest,
      'agent-orb/effect': effect,
      'agent-orb/tier': tier,
      'agent-orb/timeout-ms': timeout_ms,
    },
  };
}

// Words alone are added: what fits the schema stays the same.
function described(schema: Members, meanings: Offered['meanings'], path = ''): Members {
  const { properties, items } = schema;
  const inner = isMembers(items) ? { items: described(items, meanings, path) } : {};
  if (!isMembers(properties)) return { ...schema, ...inner };
  const told = Object.entries(properties).map(([name, member]) => {
    const meaning = meanings[`${path}${name}`];
    // The schema `true` takes anything, as the empty one does.
    if (member === true && meaning !== undefined) return [name, { description: meaning }] as const;
    if (!isMembers(member)) return [name, member] as const;
    const words = meaning === undefined || 'description' in member ? {} : { description: meaning };
    return [name, { ...described(member, meanings, `${path}${name}.`), ...words }] as const;
  });
  return { ...schema, ...inner, properties: Object.fromEntries(told) };
}

function hintsOf({ manifest: { effect, action_class } }: Orb): object {
  if (effect === 'none') return { readOnlyHint: true };
  const destructive = effect === 'irreversible' || action_class === 'delete';
  return { readOnlyHint: false, destructiveHint: destructive, idempotentHint: effect === 'idempotent' };
}

/** Members of a result that repeats the answer of an earlier call. */
const repetition = {
  replayed: { const: true, description: 'The answer of your earlier, identical call; nothing was done now' },
  first_answered_at: { type: 'string', format: 'date-time', description: 'When that call was done' },
} as const;

/** Schema of the result of a tool: the answer of the HTTP API, with the outputs of its own Orb. */
function resultSchema(orbId: string, outputs: Orb['manifest']['outputs_schema']): object {
  const properties = { ...resultBase.properties, outputs: outputsSchema(orbId, outputs), ...repetition };
  return { ...resultBase, properties };
}

function outputsSchema(orbId: string, schema: Orb['manifest']['outputs_schema']): object {
  if (!isMembers(schema) || Object.keys(schema).length === 0) return { type: 'object' };
  // Its references are relative to its own root.
  const refers = JSON.stringify(schema).includes('"$ref"') && schema['$id'] === undefined;
  return refers ? { $id: `urn:agent-orb:outputs:${encodeURIComponent(orbId)}`, ...schema } : schema;
}

// Without words for people, and open to members that are added later.
const resultBase = lean(executionResult) as { readonly properties: Members };

function lean(schema: unknown): unknown {
  if (!isMembers(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) =>
      !((name === 'title' || name === 'description') && typeof value === 'string') && name !== 'additionalProperties',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, lean(value)]));
}
