import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Packing } from '../../kit/binary/compression.ts';
import { targets, type TargetName } from '../../kit/binary/targets.ts';

/** A release under way, as its steps see it. */
export interface Release {
  /** The folder of the checkout. */
  readonly root: string;
  /** Semver, of package.json. */
  readonly version: string;
  /** 40 hex digits. */
  readonly commit: string;
  /** The time that every file and archive gets, in seconds since 1970: that of the commit, or `SOURCE_DATE_EPOCH`. */
  readonly epoch: number;
  /** Who answers for the packages of Linux: `ORB_RELEASE_MAINTAINER`, as `Name <address>`. */
  readonly maintainer: string;
  /** `dist/release/<version>`: every file in it is part of the release. */
  readonly folder: string;
  /** A folder for what steps hand to later steps and is no part of the release: it is kept until the next release. */
  readonly work: string;
  /** The systems to build for. */
  readonly targets: readonly TargetName[];
  /** A folder that holds all that the steps download; without it, the clients of the registries download it. */
  readonly offline?: string;
  /** How its files are compressed: tests need them soon and not small. */
  readonly packing: Packing;
}

/** What the command line chooses. */
export type ReleaseChoice = Partial<Pick<Release, 'targets' | 'offline' | 'packing'>>;

/** Describes the release of a checkout. */
export function releaseOf(root: string, choice: ReleaseChoice = {}): Release {
  const { offline, packing = 'smallest', targets: chosen = allTargets } = choice;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  const [commit = '', time] = git('log', '-1', '--format=%H %ct').split(' ');
  return {
    ...{ root, version, commit, epoch: Number(process.env['SOURCE_DATE_EPOCH'] ?? time), targets: chosen, packing },
    maintainer: maintainerOf(process.env['ORB_RELEASE_MAINTAINER']),
    ...{ folder: join(root, 'dist/release', version), work: join(root, 'dist/release-work', version) },
    ...(offline === undefined ? {} : { offline }),
  };
}

/** Whom the packages name when the releaser names nobody: RFC 2606 keeps the domain for examples. */
export const unnamedMaintainer = 'Agent Orb Platform <unnamed@example.org>';

function maintainerOf(named: string | undefined): string {
  if (named !== undefined && !/^[^<>\n]+ <[^<>@\s]+@[^<>@\s]+>$/.test(named))
    throw new Error('ORB_RELEASE_MAINTAINER is not of the form "Name <address>"');
  return named ?? unnamedMaintainer;
}

/** Answers where a file of the release lies; throws when the step that writes it has not run. */
export function releasedFile({ folder }: Pick<Release, 'folder'>, name: string, step: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) throw new Error(`${name} is missing: run the step "${step}" first`);
  return file;
}

/** The systems that a release is built for. */
export const allTargets = Object.keys(targets) as readonly TargetName[];

/** Answers where the executable of a system lies; throws when the step that builds it has not run. */
export function executableOf({ work }: Release, target: TargetName): string {
  const file = executablePath({ work }, target);
  if (!existsSync(file))
    throw new Error(`the executable for ${target} is missing: run the step "executables" for it first`);
  return file;
}

/** Answers where the step of the executables writes the one of a system. */
export function executablePath({ work }: Pick<Release, 'work'>, target: TargetName): string {
  return join(work, 'executables', target, targets[target].program);
}

const linuxTargets = { amd64: 'linux-x64', arm64: 'linux-arm64' } as const;

/** An executable for Linux, and the name of its processor at Debian and OCI. */
export interface LinuxExecutable {
  readonly architecture: keyof typeof linuxTargets;
  readonly target: TargetName;
  readonly path: string;
}

/** Lists the executables for Linux that are built for and are there; throws without one. */
export function linuxExecutables(release: Pick<Release, 'work' | 'targets'>): readonly LinuxExecutable[] {
  const found = (['amd64', 'arm64'] as const)
    .map((architecture) => ({ architecture, target: linuxTargets[architecture] }))
    .map((one) => ({ ...one, path: executablePath(release, one.target) }))
    .filter(({ path, target }) => release.targets.includes(target) && existsSync(path));
  if (found.length === 0) throw new Error('no executable for Linux is there: run the step "executables" first');
  return found;
}
