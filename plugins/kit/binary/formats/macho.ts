import { createHash } from 'node:crypto';

// Apple's headers mach-o/loader.h and kern/cs_blobs.h: executables of macOS, 64 bits. A signature is big-endian.
const header = 32;
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const page = 4096;
const superBlob = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const directorySize = 88;
// Signed without a certificate, by a linker: codesign may replace it.
const adHoc = 0x20002;
const sha256 = 2;

/** The number of Apple silicon in the head. */
export const arm64Machine = 0x0100000c;

interface Command {
  readonly kind: number;
  readonly at: number;
  readonly size: number;
}

/** Answers the number of the architecture; throws when the bytes are no such executable. */
export function machoMachine(file: Buffer): number {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('it is no Mach-O file of 64 bits for one architecture');
  return file.readUInt32LE(4);
}

function commandsOf(file: Buffer): readonly Command[] {
  machoMachine(file);
  let at = header;
  return Array.from({ length: file.readUInt32LE(16) }, () => {
    const command = { kind: file.readUInt32LE(at), at, size: file.readUInt32LE(at + 4) };
    at += command.size;
    return command;
  });
}

interface Segment {
  readonly at: number;
  readonly name: string;
  readonly from: number;
  readonly size: number;
  readonly sections: number;
}

const nameAt = (file: Buffer, at: number): string => file.toString('latin1', at, at + 16).replace(/\0+$/, '');

function segmentsOf(file: Buffer): readonly Segment[] {
  return commandsOf(file).flatMap(({ kind, at }) => {
    if (kind !== segmentCommand) return [];
    const [from, size] = [Number(file.readBigUInt64LE(at + 40)), Number(file.readBigUInt64LE(at + 48))];
    return [{ at, name: nameAt(file, at + 8), from, size, sections: file.readUInt32LE(at + 64) }];
  });
}

function sectionsOf(file: Buffer, { at, sections }: Segment) {
  return Array.from({ length: sections }, (_, index) => {
    const place = at + 72 + 80 * index;
    const [size, from] = [Number(file.readBigUInt64LE(place + 40)), file.readUInt32LE(place + 48)];
    return { name: nameAt(file, place), from, size };
  });
}

/** Reads a section of a segment. */
export function machoSection(file: Buffer, segment: string, section: string): Buffer | undefined {
  const found = segmentsOf(file)
    .filter(({ name }) => name === segment)
    .flatMap((one) => sectionsOf(file, one))
    .find(({ name }) => name === section);
  return found && file.subarray(found.from, found.from + found.size);
}

/**
 * Signs a program without a certificate, as a linker does: Apple silicon ends a program that has no signature. The
 * signature is a digest of each page, at the end of the last segment.
 */
export function adHocSigned(file: Buffer, identifier: string): Buffer {
  const commands = commandsOf(file);
  if (commands.some(({ kind }) => kind === signatureCommand)) throw new Error('it has a signature already');
  const [linkEdit, text] = [segmentOf(file, '__LINKEDIT'), segmentOf(file, '__TEXT')];
  if (linkEdit.from + linkEdit.size > file.length || segmentsOf(file).some(({ from: at }) => at > linkEdit.from))
    throw new Error('its segment __LINKEDIT is not the last one');
  const from = Math.ceil(file.length / 16) * 16;
  const size = signatureSize(from, identifier);
  const whole = Buffer.alloc(from + size);
  file.copy(whole);
  const end = header + file.readUInt32LE(20);
  const room = Math.min(
    ...segmentsOf(file)
      .flatMap((one) => sectionsOf(file, one))
      .flatMap(({ from: at }) => at || []),
  );
  if (end + 16 > room) throw new Error('its head has no room for another command');
  [signatureCommand, 16, from, size].forEach((word, index) => whole.writeUInt32LE(word, end + 4 * index));
  whole.writeUInt32LE(commands.length + 1, 16);
  whole.writeUInt32LE(file.readUInt32LE(20) + 16, 20);
  const extent = whole.length - linkEdit.from;
  whole.writeBigUInt64LE(BigInt(Math.ceil(extent / 0x4000) * 0x4000), linkEdit.at + 32);
  whole.writeBigUInt64LE(BigInt(extent), linkEdit.at + 48);
  signature(whole.subarray(0, from), identifier, text.size).copy(whole, from);
  return whole;
}

function segmentOf(file: Buffer, wanted: string): Segment {
  const found = segmentsOf(file).find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`it has no segment ${wanted}`);
  return found;
}

const signatureSize = (limit: number, identifier: string): number =>
  Math.ceil((20 + directorySize + identifier.length + 1 + 32 * Math.ceil(limit / page)) / 16) * 16;

function signature(code: Buffer, identifier: string, textSize: number): Buffer {
  const whole = Buffer.alloc(signatureSize(code.length, identifier));
  const hashes = directorySize + identifier.length + 1;
  const words = (at: number, ...all: readonly number[]): void =>
    all.forEach((word, index) => whole.writeUInt32BE(word, at + 4 * index));
  words(0, superBlob, whole.length, 1, 0, 20);
  const slots = Math.ceil(code.length / page);
  words(20, codeDirectory, whole.length - 20, 0x20400, adHoc, hashes, directorySize, 0, slots, code.length);
  Buffer.from([32, sha256, 0, Math.log2(page)]).copy(whole, 20 + 36);
  // The segment that is executed begins with the file; 1: it is the main program.
  whole.writeBigUInt64BE(BigInt(textSize), 20 + 72);
  whole.writeBigUInt64BE(1n, 20 + 80);
  whole.write(identifier, 20 + directorySize, 'latin1');
  pages(code).forEach((digest, index) => digest.copy(whole, 20 + hashes + 32 * index));
  return whole;
}

function pages(code: Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(code.length / page) }, (_, index) =>
    createHash('sha256')
      .update(code.subarray(index * page, (index + 1) * page))
      .digest(),
  );
}

/** Lists what is wrong with the signature of a program; empty: every page has the digest that was signed. */
export function signatureFaults(file: Buffer): readonly string[] {
  const command = commandsOf(file).find(({ kind }) => kind === signatureCommand);
  if (command === undefined) return ['it has no signature'];
  const [from, size] = [file.readUInt32LE(command.at + 8), file.readUInt32LE(command.at + 12)];
  const linkEdit = segmentOf(file, '__LINKEDIT');
  const signed = file.subarray(from, from + size);
  const faults: string[] = [];
  if (from + size !== file.length || linkEdit.from + linkEdit.size !== file.length)
    faults.push('the signature does not end the last segment and the file');
  if (signed.length < size || signed.readUInt32BE(0) !== superBlob || signed.readUInt32BE(4) !== size)
    return [...faults, 'it is no signature'];
  const directory = signed.subarray(signed.readUInt32BE(16));
  if (directory.readUInt32BE(0) !== codeDirectory) return [...faults, 'the signature has no digests'];
  if (directory.readUInt32BE(32) !== from) faults.push('the signature does not cover all before it');
  const [hashes, slots] = [directory.readUInt32BE(16), directory.readUInt32BE(28)];
  const found = pages(file.subarray(0, from));
  if (slots !== found.length) faults.push(`the signature has ${slots} pages, the file ${found.length}`);
  const wrong = found.findIndex(
    (digest, index) => !digest.equals(directory.subarray(hashes + 32 * index, hashes + 32 * (index + 1))),
  );
  return wrong === -1 ? faults : [...faults, `page ${wrong} is not the one that was signed`];
}
