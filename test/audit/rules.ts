import { satisfies } from 'semver';
import { fitForTests, fitLicences, isFit } from '../../plugins/release/build/parts/licence.ts';

/** One package of package-lock.json, as far as it is looked at. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  /** Only needed to build and to test. */
  readonly dev?: boolean;
  readonly engines?: Readonly<Record<string, string>>;
}

/** The package.json of an installed package, as far as it is looked at. */
export interface InstalledPackage {
  readonly version?: string;
  readonly license?: unknown;
}

/** What is audited, as data. */
export interface Audited {
  /** Path below the root → entry; the package itself (the empty path) is left out. */
  readonly locked: Readonly<Record<string, LockedPackage>>;
  /** Finds what lies at a path; undefined = nothing. */
  installed(path: string): InstalledPackage | undefined;
}

/** What is known of single packages by having looked at them. */
export interface Known {
  /** `<path>@<version>` → the licence that its files state where its package.json states none, or none that can be read. */
  readonly licences: Readonly<Record<string, string>>;
  /** Names of packages whose install scripts were read; none of them is run (ignore-scripts). */
  readonly installScripts: readonly string[];
}

/** The runtime that every package must admit. */
export const runtimeVersion = '24.21.0';
/** The oldest one that the program itself promises to run on: what it needs when it runs must admit that one too. */
export const oldestVersion = '22.19.0';

/** Lists what breaks a rule, one sentence each, in the order of the lock file. Nothing found = an empty list. */
export function findFaults({ locked, installed }: Audited, known: Known): readonly string[] {
  return Object.entries(locked).flatMap(([path, entry]) => {
    const name = `${nameOf(path)}@${entry.version ?? '?'}`;
    const faults = [
      ...ofLock(path, entry, known),
      ...ofFiles(entry, installed(path)),
      ...ofLicence(name, entry, known),
    ];
    return faults.map((fault) => `${path} ${entry.version ?? ''}: ${fault}`);
  });
}

/** Lists packages that are known for something they no longer are: the list would hide the next fault of that name. */
export function findStale({ locked }: Audited, known: Known): readonly string[] {
  const all = Object.entries(locked);
  const names = new Set(all.map(([path, { version = '?' }]) => `${nameOf(path)}@${version}`));
  const scripted = new Set(all.filter(([, entry]) => entry.hasInstallScript === true).map(([path]) => nameOf(path)));
  return [
    ...Object.keys(known.licences).filter((name) => !names.has(name)),
    ...known.installScripts.filter((name) => !scripted.has(name)),
  ].map((name) => `${name}: is known to the audit but not in the lock file; take it off the list`);
}

function ofLock(path: string, entry: LockedPackage, known: Known): string[] {
  const faults: string[] = [];
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push('has no sha512 integrity');
  if (entry.resolved !== undefined)
    faults.push(`names the address ${entry.resolved}; run npm with omit-lockfile-registry-resolved`);
  const node = entry.engines?.['node'];
  const needed = entry.dev === true ? [runtimeVersion] : [runtimeVersion, oldestVersion];
  const left = node === undefined ? [] : needed.filter((version) => !satisfies(version, node));
  if (left.length > 0) faults.push(`runs on Node ${node}, which leaves out ${left.join(' and ')}`);
  if (entry.hasInstallScript === true && !known.installScripts.includes(nameOf(path)))
    faults.push('has an install script; it is not run here: see that it works without, then name it as known');
  if (entry.deprecated !== undefined) faults.push(`is deprecated: ${entry.deprecated}`);
  return faults;
}

// The lock only repeats what the registry said; what counts is what lies there.
function ofFiles(entry: LockedPackage, found: InstalledPackage | undefined): string[] {
  if (found === undefined) return entry.optional === true ? [] : ['is not installed; run npm ci'];
  const faults: string[] = [];
  if (found.version !== entry.version) faults.push(`is installed as ${found.version ?? 'no version'}; run npm ci`);
  if (JSON.stringify(found.license) !== JSON.stringify(entry.license))
    faults.push(`states the licence ${JSON.stringify(found.license)}, the lock file ${JSON.stringify(entry.license)}`);
  return faults;
}

function ofLicence(name: string, { dev, license }: LockedPackage, known: Known): string[] {
  const expression = known.licences[name] ?? license;
  if (expression === undefined) return ['states no licence'];
  return isFit(expression, dev === true ? fitForTests : fitLicences)
    ? []
    : [`its licence ${expression} is not known to allow distribution under Apache-2.0`];
}

// node_modules/a/node_modules/@b/c is @b/c.
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
