import Database from 'better-sqlite3';
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { elfMachine, elfNote, machines, stripped } from '../../../../plugins/kit/binary/formats/elf.ts';
import {
  adHocSigned,
  arm64Machine,
  machoMachine,
  machoSection,
  signatureFaults,
} from '../../../../plugins/kit/binary/formats/macho.ts';
import { peMachine, peResource, signatureSize, unsigned } from '../../../../plugins/kit/binary/formats/pe.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { leaveOutBecause } from '../../../helpers/needs.ts';

// Real files of each format: the addons of the database driver.
const addon = (target: string): Buffer =>
  readFileSync(join(packageDir, 'node_modules/better-sqlite3/prebuilds', `${target}.node`));

describe('executables of Linux', () => {
  it('tell their architecture, and other files are refused', () => {
    expect(['linux-x64', 'linux-arm64'].map((name) => elfMachine(addon(name)))).to.deep.equal([
      machines['x64'],
      machines['arm64'],
    ]);
    expect(() => elfMachine(addon('win32-x64'))).to.throw('no ELF file');
  });

  it('work without their symbols, and are smaller', function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') leaveOutBecause(this, 'it loads a file for linux-x64');
    const whole = addon('linux-x64');
    // What a linker would have left for debuggers.
    const short = stripped(whole);
    expect(short.length).to.be.at.most(whole.length);
    expect(stripped(short).equals(short), 'again').to.equal(true);
    const folder = mkdtempSync(join(tmpdir(), 'orb-elf-'));
    try {
      const file = join(folder, 'addon.node');
      writeFileSync(file, short);
      const database = new Database(':memory:', { nativeBinding: file });
      expect(database.prepare('SELECT 6 * 7 AS found').get()).to.deep.equal({ found: 42 });
      database.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('give a note by its name', () => {
    // The identity of the build: a digest of 20 bytes.
    expect(elfNote(addon('linux-x64'), 'GNU')?.length).to.be.oneOf([16, 20, 32]);
    expect(elfNote(addon('linux-x64'), 'NODE_SEA_BLOB')).to.equal(undefined);
  });
});

describe('executables of macOS', () => {
  const signed = addon('darwin-arm64');
  const command = commandOf(signed);
  const from = signed.readUInt32LE(command + 8);

  it('tell their architecture, and other files are refused', () => {
    expect(machoMachine(signed)).to.equal(arm64Machine);
    expect(() => machoMachine(addon('linux-arm64'))).to.throw('no Mach-O file');
  });

  it('are signed with the digests that the linker of Apple makes, at the same place', () => {
    const own = adHocSigned(withoutSignature(signed), 'better_sqlite3.node');
    expect(own.length).to.equal(signed.length);
    // Each says how much of the file is code in its own way: 16 bytes behind the fixed head.
    for (const [begin, end] of [
      [0, from + 32],
      [from + 36, from + 92],
      [from + 108, own.length],
    ] as const)
      expect(own.subarray(begin, end).equals(signed.subarray(begin, end)), `${begin}`).to.equal(true);
    expect(signatureFaults(own)).to.deep.equal([]);
  });

  it('pass the check when Apple signed them, and fail it for each changed byte, a cut end and a missing signature', () => {
    expect(signatureFaults(signed)).to.deep.equal([]);
    for (const at of [40_000, from - 1]) {
      const changed = Buffer.from(signed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(signatureFaults(changed)).to.deep.equal([`page ${Math.floor(at / 4096)} is not the one that was signed`]);
    }
    expect(signatureFaults(signed.subarray(0, -16)).join()).to.include('does not end');
    expect(signatureFaults(withoutSignature(signed))).to.deep.equal(['it has no signature']);
    expect(() => adHocSigned(signed, 'orb')).to.throw('it has a signature already');
  });

  it('give a section by its name', () => {
    expect(machoSection(signed, '__TEXT', '__text')?.length).to.be.above(100_000);
    expect(machoSection(signed, 'NODE_SEA', '__NODE_SEA_BLOB')).to.equal(undefined);
  });
});

/** Finds the command of the signature, which is the last. */
function commandOf(file: Buffer): number {
  return 32 + file.readUInt32LE(20) - 16;
}

function withoutSignature(file: Buffer): Buffer {
  const at = commandOf(file);
  const short = Buffer.from(file.subarray(0, file.readUInt32LE(at + 8)));
  short.fill(0, at, at + 16);
  short.writeUInt32LE(file.readUInt32LE(16) - 1, 16);
  short.writeUInt32LE(file.readUInt32LE(20) - 16, 20);
  // The last segment ends with the file.
  const segment = linkEdit(short);
  const size = BigInt(short.length) - short.readBigUInt64LE(segment + 40);
  short.writeBigUInt64LE(size, segment + 48);
  return short;
}

function linkEdit(file: Buffer): number {
  return file.indexOf('__LINKEDIT\0', 32) - 8;
}

describe('executables of Windows', () => {
  const whole = addon('win32-x64');

  it('tell their architecture, and other files are refused', () => {
    expect(peMachine(whole)).to.equal(0x8664);
    expect(() => peMachine(addon('linux-x64'))).to.throw('no PE file');
  });

  it('lose a signature at their end, and nothing else', () => {
    const signed = Buffer.concat([whole, Buffer.alloc(64, 1)]);
    const directory = signed.readUInt32LE(0x3c) + 24 + 112 + 8 * 4;
    signed.writeUInt32LE(whole.length, directory);
    signed.writeUInt32LE(64, directory + 4);
    expect(signatureSize(signed)).to.equal(64);
    const short = unsigned(signed);
    expect([signatureSize(short), short.length]).to.deep.equal([0, whole.length]);
    const checksum = signed.readUInt32LE(0x3c) + 24 + 64;
    const other = Buffer.from(whole);
    other.writeUInt32LE(0, checksum);
    expect(short.equals(other)).to.equal(true);
    expect(unsigned(whole)).to.equal(whole);
  });

  it('give no resource that they do not have', () => {
    expect(peResource(whole, 'NODE_SEA_BLOB')).to.equal(undefined);
  });
});
