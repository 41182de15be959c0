import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical, ConfigError, replaceFileSync, type Awaitable } from '../../../kernel/index.ts';
import type { FactKind, FactOwner } from '../format/fact-kind.ts';
import { parseStrict, isRecord } from '../format/strict-json.ts';
import { kindFaults } from './faults.ts';
import { declaredKinds } from './kind.ts';

/** Name of the file, in a state dir or export, with the kinds of facts from plugins outside the program. */
export const factsFile = 'facts.json';

/** Reads kinds of facts; undefined when the text has none, or has one that no verifier could check. */
export function readFacts(text: string): readonly FactKind[] | undefined {
  const value = parseStrict(text);
  const list = isRecord(value) ? value['facts'] : undefined;
  if (!Array.isArray(list) || !list.every(isKind)) return undefined;
  return kindFaults([{ name: factsFile, facts: list }]).length === 0 ? list : undefined;
}

/** Writes kinds of facts, for verifiers without the code of the plugins. */
export function formatFacts(facts: readonly FactKind[]): string {
  return `${JSON.stringify({ facts }, undefined, 2)}\n`;
}

/** Known kinds of facts: all of them, and those from outside the program. */
export interface KnownFacts {
  readonly all: readonly FactKind[];
  readonly outside: readonly FactKind[];
}

/**
 * Collects the kinds whose receipts are verified: the declared ones, and those of plugins that ran here before. Kinds
 * from outside the program are kept in the state dir, where `orb receipts verify` reads them. Throws a ConfigError when
 * the declaration of a kind with receipts has changed: its receipts would no longer verify.
 */
export async function knownFacts(
  owners: readonly FactOwner[],
  stateDir: string,
  isAttested: (kind: string) => Awaitable<boolean>,
): Promise<KnownFacts> {
  const path = join(stateDir, factsFile);
  const shipped = declaredKinds(owners.filter(({ external }) => external !== true));
  const declared = declaredKinds(owners);
  const before = readKept(path);
  const changed: FactKind[] = [];
  for (const kind of declared.filter((one) => before.some((kept) => isOtherThan(kept, one))))
    if (await isAttested(kind.kind)) changed.push(kind);
  if (changed.length > 0) throw new ConfigError(changed.map(changedFault));
  const gone = before.filter(({ kind }) => !declared.some((known) => known.kind === kind));
  const outside = [...declared.filter(({ kind }) => !shipped.some((known) => known.kind === kind)), ...gone];
  const text = formatFacts(outside);
  if (text !== formatFacts(before)) replaceFileSync(path, text);
  return { all: [...declared, ...gone], outside };
}

// The scopes that read its receipts may change: they are not signed.
function isOtherThan(kept: FactKind, declared: FactKind): boolean {
  return kept.kind === declared.kind && canonical({ ...kept, scopes: [] }) !== canonical({ ...declared, scopes: [] });
}

function changedFault({ kind }: FactKind): string {
  return `plugins: the kind of fact ${kind} has receipts under another declaration (${factsFile}): declare the changed kind under a new name`;
}

// A damaged file is written again; receipts of a kind that only it contained are then reported as of an unknown kind.
function readKept(path: string): readonly FactKind[] {
  try {
    return readFacts(readFileSync(path, 'utf8')) ?? [];
  } catch {
    return [];
  }
}

function isKind(value: unknown): value is FactKind {
  if (!isRecord(value)) return false;
  const { kind, predicate, rules, scopes, subject } = value;
  const lists = [rules, scopes, subject].every(Array.isArray);
  return typeof kind === 'string' && isRecord(predicate) && lists && (rules as readonly unknown[]).every(isRecord);
}
