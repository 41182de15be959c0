import { formatVkey, parseVkey, type NoteKey } from './note.ts';

// C2SP tlog-policy: the trust file of the verifier.

/** A named set of witnesses and other groups; at least `threshold` of them must have signed. */
export interface WitnessGroup {
  readonly threshold: number;
  readonly members: readonly string[];
}

/** The trusted logs, and the witnesses that must have signed a checkpoint. */
export interface LogPolicy {
  readonly logs: readonly NoteKey[];
  readonly witnesses: ReadonlyMap<string, NoteKey>;
  readonly groups: ReadonlyMap<string, WitnessGroup>;
  /** Name of a witness or group; undefined: no witness is required. */
  readonly quorum?: string;
}

interface Draft {
  readonly logs: NoteKey[];
  readonly witnesses: Map<string, NoteKey>;
  readonly groups: Map<string, WitnessGroup>;
  readonly used: Set<string>;
  quorum?: string;
}

const longestFile = 1_048_576;
const mostLines = 4096;

/** Reads a trust file; undefined when a line is malformed, or names something twice or before its definition. */
export function parsePolicy(text: string): LogPolicy | undefined {
  const lines = text.length > longestFile ? [] : text.split(/\r?\n/);
  if (lines.length === 0 || lines.length > mostLines) return undefined;
  const draft: Draft = { logs: [], witnesses: new Map(), groups: new Map(), used: new Set() };
  for (const line of lines) {
    const words = line
      .replace(/#.*$/, '')
      .trim()
      .split(/[ \t]+/);
    if (words[0] !== '' && !take(words, draft)) return undefined;
  }
  const { logs, witnesses, groups, quorum } = draft;
  if (quorum === undefined) return undefined;
  return { logs, witnesses, groups, ...(quorum === 'none' ? {} : { quorum }) };
}

const takers = { log: takeLog, witness: takeWitness, group: takeGroup, quorum: takeQuorum };

function take([keyword = '', ...words]: readonly string[], draft: Draft): boolean {
  return Object.hasOwn(takers, keyword) && takers[keyword as keyof typeof takers](words, draft);
}

function takeLog([vkey = '', ...more]: readonly string[], { logs }: Draft): boolean {
  const key = parseVkey(vkey);
  if (key?.type !== 'ed25519' || more.length > 1) return false;
  logs.push(key);
  return true;
}

function takeWitness([name = '', vkey = '', ...more]: readonly string[], draft: Draft): boolean {
  const key = parseVkey(vkey);
  if (key?.type !== 'cosignature' || more.length > 1 || !isNew(name, draft)) return false;
  draft.witnesses.set(name, key);
  return true;
}

function takeGroup([name = '', count = '', ...members]: readonly string[], draft: Draft): boolean {
  const threshold = count === 'all' ? members.length : count === 'any' ? 1 : Number(count);
  const counted = count === 'all' || count === 'any' || /^[1-9]\d{0,3}$/.test(count);
  if (!counted || threshold < 1 || threshold > members.length || !isNew(name, draft)) return false;
  for (const member of members) {
    if (!isKnown(member, draft) || draft.used.has(member)) return false;
    draft.used.add(member);
  }
  draft.groups.set(name, { threshold, members });
  return true;
}

function takeQuorum([name = '', ...more]: readonly string[], draft: Draft): boolean {
  if (draft.quorum !== undefined || more.length > 0 || !(name === 'none' || isKnown(name, draft))) return false;
  draft.quorum = name;
  return true;
}

function isNew(name: string, draft: Draft): boolean {
  return name !== '' && name !== 'none' && !isKnown(name, draft);
}

function isKnown(name: string, { witnesses, groups }: Draft): boolean {
  return witnesses.has(name) || groups.has(name);
}

/** Says whether a checkpoint signed by these keys has its quorum. */
export function hasQuorum({ witnesses, groups, quorum }: LogPolicy, by: readonly NoteKey[]): boolean {
  const met = new Set<string>();
  for (const [name, key] of witnesses) if (by.includes(key)) met.add(name);
  // A group refers only to earlier lines, so one pass in the order of the file evaluates all groups.
  for (const [name, { members, threshold }] of groups)
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  return quorum === undefined || met.has(quorum);
}

/** Writes a trust file that names logs and requires no witness. */
export function formatPolicy(logs: readonly NoteKey[]): string {
  return `${logs.map((key) => `log ${formatVkey(key)}\n`).join('')}quorum none\n`;
}
