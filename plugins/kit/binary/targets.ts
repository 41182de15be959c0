import { adHocSigned, arm64Machine, machoMachine, machoSection, signatureFaults } from './formats/macho.ts';
import { elfMachine, elfNote, machines, stripped } from './formats/elf.ts';
import { peMachine, peResource, signatureSize, unsigned } from './formats/pe.ts';

/** What one format of executables needs of those who make it. */
export interface Format {
  /** Makes a runtime ready for the injection: without what no user needs, and without a signature of others. */
  prepare(runtime: Buffer): Buffer;
  /** Completes an executable after the injection. */
  complete(executable: Buffer): Buffer;
  /** Answers what was injected; undefined: nothing was. */
  blob(executable: Buffer): Buffer | undefined;
  /** Lists what is wrong with the file, apart from what was injected. */
  faults(executable: Buffer): readonly string[];
}

/** A system that an executable is built for. */
export interface Target {
  readonly format: Format;
  /** The addon of the database driver, as its package names it. */
  readonly prebuild: string;
  /** The name of the program. */
  readonly program: string;
  /** Has not been started where it was built. */
  readonly preview?: true;
}

/** Names what is injected, in every format. */
export const resource = 'NODE_SEA_BLOB';
/** The segment of macOS that holds it. */
export const segment = 'NODE_SEA';

const same = (file: Buffer): Buffer => file;
const otherMachine = (found: number, wanted: number | undefined): readonly string[] =>
  found === wanted ? [] : [`it is built for another architecture: ${found}`];

const elf = (machine: number | undefined): Format => ({
  prepare: stripped,
  complete: same,
  blob: (file) => elfNote(file, resource),
  faults: (file) => otherMachine(elfMachine(file), machine),
});

const macho: Format = {
  prepare: same,
  complete: (file) => adHocSigned(file, 'orb'),
  blob: (file) => machoSection(file, segment, `__${resource}`),
  faults: (file) => [...otherMachine(machoMachine(file), arm64Machine), ...signatureFaults(file)],
};

const pe: Format = {
  prepare: unsigned,
  complete: same,
  blob: (file) => peResource(file, resource),
  faults: (file) => [
    ...otherMachine(peMachine(file), 0x8664),
    ...(signatureSize(file) === 0 ? [] : ['it has a signature of another program']),
  ],
};

/** The systems that executables are built for, by name. */
export const targets = {
  'linux-x64': { format: elf(machines['x64']), prebuild: 'linux-x64', program: 'orb' },
  'linux-arm64': { format: elf(machines['arm64']), prebuild: 'linux-arm64', program: 'orb' },
  'darwin-arm64': { format: macho, prebuild: 'darwin-arm64', program: 'orb', preview: true },
  'win-x64': { format: pe, prebuild: 'win32-x64', program: 'orb.exe', preview: true },
} as const satisfies Readonly<Record<string, Target>>;

/** Names a system that an executable is built for. */
export type TargetName = keyof typeof targets;
