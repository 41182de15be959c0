import type { Subject } from '../../contract.ts';
import type { Signal, SubjectHint } from '../../signals/signal.ts';
import type { HintName } from '../../signals/words.ts';
import type { SourceSubjects } from '../../sources/settings/schema.ts';

/** The subjects of a signal. */
export interface Mapped {
  /** Sorted by kind and id; empty: unmapped. */
  readonly scope: readonly Subject[];
  /** `binding`, `query`, `label`, `alias:<n>`, `default` or `unmapped`. */
  readonly rule: string;
  /** An outsider could have written the subject. */
  readonly outsider: boolean;
}

/** Lookup of the Orbs and Orbisets of the installation. */
export interface Existing {
  /** Lists the ids of all Orbs, with versions. */
  orbs(): readonly string[];
  /** Lists the ids of the Orbs that an Orbiset allows; undefined: there is no such Orbiset. */
  orbiset(id: string): readonly string[] | undefined;
}

// A statement that names all subjects has no room for more.
const mostSubjects = 50;

// What exists, and what of it the source may name.
type Known = Existing & { readonly may: SourceSubjects['may_name'] };
type Scope = readonly Subject[];

/**
 * Finds the subjects of a signal: binding of the source, query of the URL, labels, aliases, default component; the
 * first match wins. Names from the delivery itself count only within `may_name`. Text that outsiders can write is used
 * last, so nobody can redirect an alert by naming another subject.
 */
export function mapSubject(signal: Signal, subjects: SourceSubjects, existing: Existing): Mapped {
  const { binding, default_component: component } = subjects;
  const known: Known = { ...existing, may: subjects.may_name };
  const { hints, auth_strength: strength, outsider_labels: labelsOfOutsiders } = signal;
  if (binding !== undefined) return mapped(bound(binding, existing), 'binding', false);
  // When the URL is the source's only secret, its query is no proof.
  const surely = strength === 'strong' || strength === 'shared_secret';
  const given = (origin: SubjectHint['origin'], outsider: boolean): readonly SubjectHint[] =>
    hints.filter((hint) => hint.origin === origin && hint.outsider === outsider);
  const asked = hints.filter(({ origin }) => origin === 'query');
  const found =
    (surely ? named(asked, 'query', true, known) : undefined) ??
    named(given('label', false), 'label', false, known) ??
    (labelsOfOutsiders ? undefined : aliased(signal, subjects.aliases, known)) ??
    (component === undefined ? undefined : mapped([{ kind: 'component', id: component }], 'default', false)) ??
    named(given('label', true), 'label', true, known) ??
    (labelsOfOutsiders ? aliased(signal, subjects.aliases, known) : undefined);
  return found ?? mapped([], 'unmapped', false);
}

function mapped(scope: readonly Subject[], rule: string, outsider: boolean): Mapped {
  const order = (subject: Subject): string => `${subject.kind} ${subject.id}`;
  const sorted = [...scope].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, mostSubjects);
  return { scope: sorted, rule: scope.length === 0 ? 'unmapped' : rule, outsider };
}

function bound({ kind, id }: NonNullable<SourceSubjects['binding']>, existing: Existing): Scope {
  return kind === 'orbiset' ? orbs(existing.orbiset(id) ?? []) : [{ kind, id }];
}

function named(hints: readonly SubjectHint[], rule: string, outsider: boolean, known: Known): Mapped | undefined {
  const value = (name: HintName): string | undefined => hints.find((hint) => hint.name === name)?.value;
  const scope =
    orbNamed(value('orb_id') ?? value('orb'), value('orb_version'), known) ??
    single('provider', value('provider'), known.may.providers) ??
    orbisetNamed(value('orbiset'), known) ??
    single('component', value('component'), known.may.components) ??
    single('component', value('service'), known.may.components);
  return scope === undefined ? undefined : mapped(scope, rule, outsider);
}

function single(kind: Subject['kind'], id: string | undefined, may: readonly string[]): Scope | undefined {
  return id !== undefined && may.includes(id) ? [{ kind, id }] : undefined;
}

// Some vendors do not allow the characters of an Orb id, so `orb` and `orb_version` may be separate; without a version
// the name means all existing versions.
function orbNamed(name: string | undefined, version: string | undefined, known: Known): Scope | undefined {
  if (name === undefined) return undefined;
  const id = name.includes('@') || version === undefined ? name : `${name}@${version}`;
  const fits = (orb: string): boolean => (id.includes('@') ? orb === id : orb.startsWith(`${id}@`));
  const found = known.orbs().filter((orb) => fits(orb) && allowed(orb, known));
  return found.length === 0 ? undefined : orbs(found);
}

function orbisetNamed(id: string | undefined, known: Known): Scope | undefined {
  const members = id === undefined ? undefined : known.orbiset(id);
  const found = members?.filter((orb) => allowed(orb, known)) ?? [];
  return found.length === 0 ? undefined : orbs(found);
}

function aliased(signal: Signal, aliases: SourceSubjects['aliases'], known: Known): Mapped | undefined {
  for (const [index, { label, value, subject }] of aliases.entries()) {
    const text = Object.hasOwn(signal.labels, label) ? signal.labels[label] : undefined;
    if (text === undefined || !globMatches(value, text)) continue;
    const scope =
      subject.kind === 'orb'
        ? orbNamed(subject.id, undefined, known)
        : single(subject.kind, subject.id, subject.kind === 'provider' ? known.may.providers : known.may.components);
    if (scope !== undefined) return mapped(scope, `alias:${index}`, signal.outsider_labels);
  }
  return undefined;
}

/** Says whether a text matches a pattern in which `*` matches any characters; in time linear in both. */
export function globMatches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at + last.length <= text.length && text.endsWith(last);
}

function allowed(orb: string, { may }: Known): boolean {
  return may.orbs.some((pattern) => matchesOrb(pattern, orb));
}

// `ns.*`, an exact id, or a name that means every version.
function matchesOrb(pattern: string, orb: string): boolean {
  if (pattern.endsWith('.*')) return orb.startsWith(pattern.slice(0, -1));
  return pattern.includes('@') ? pattern === orb : orb.startsWith(`${pattern}@`);
}

function orbs(ids: readonly string[]): Scope {
  return ids.map((id) => ({ kind: 'orb', id }));
}
