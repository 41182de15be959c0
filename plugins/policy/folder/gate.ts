import type { Diagnostic } from '../contract.ts';
import { isData, isTest, policyIdOf } from '../revisions/revision.ts';
import type { PolicyFile } from '../shapes.ts';

/** Limits of a policies folder. */
export const limits = { files: 200, bytes: 256 * 1024, nesting: 200 } as const;

/** A file as it was found, with unchecked bytes. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Files that may go to the compiler, and diagnostics of the others. */
export interface Gated {
  readonly files: readonly PolicyFile[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
}

const idPattern = /^[a-z0-9_][a-z0-9_.-]{0,99}$/;
const reservedIds: ReadonlySet<string> = new Set(['-', 'validate', 'format', 'test']);

/** Makes the checks that need no compiler: number, size, text, nesting, names, and the shape of data files. */
export function gate(found: readonly FoundFile[]): Gated {
  const diagnostics: Diagnostic[] = [];
  const files: PolicyFile[] = [];
  const ids = new Map<string, string>();
  if (found.length > limits.files)
    diagnostics.push(fault('too_many_files', `the folder contains more than ${limits.files} files`, undefined));
  for (const { path, bytes } of found.slice(0, limits.files)) {
    const source = textOf(bytes);
    const wrong =
      bytes.length > limits.bytes ? tooLarge(path) : source === undefined ? notText(path) : named(path, ids);
    if (wrong !== undefined) diagnostics.push(wrong);
    else if (source !== undefined && tooNested(source)) diagnostics.push(nested(path));
    else if (source !== undefined) files.push({ path, source });
  }
  const data = dataOf(files, diagnostics);
  return { files, data, diagnostics };
}

function fault(code: string, message: string, file: string | undefined, hint?: string): Diagnostic {
  return {
    severity: 'error',
    code,
    message,
    ...(file === undefined ? {} : { file, line: 1, column: 1 }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function tooLarge(path: string): Diagnostic {
  return fault('file_too_large', `the file is larger than ${limits.bytes} bytes`, path, 'split the file');
}

function notText(path: string): Diagnostic {
  return fault('not_utf8', 'the file is not UTF-8', path);
}

function nested(path: string): Diagnostic {
  return fault('too_nested', `brackets are nested deeper than ${limits.nesting}`, path);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function named(path: string, ids: Map<string, string>): Diagnostic | undefined {
  if (isData(path)) return undefined;
  if (!path.endsWith('.rego'))
    return fault(
      'wrong_name',
      'the file is neither Rego nor JSON data',
      path,
      'name policies *.rego and data files data/*.json',
    );
  const id = policyIdOf(path);
  if (!idPattern.test(id) || reservedIds.has(id))
    return fault(
      'wrong_name',
      `the path gives the id ${id}, which is not allowed`,
      path,
      `use an id that matches ${idPattern.source}`,
    );
  const other = ids.get(id);
  if (other !== undefined) return fault('id_defined_twice', `${other} and ${path} have the same id ${id}`, path);
  ids.set(id, path);
  return undefined;
}

// The parser is recursive: a deeply nested file would overflow its stack.
function tooNested(source: string): boolean {
  let depth = 0;
  for (let index = 0; index < source.length; index += 1) {
    const mark = source.charCodeAt(index);
    if (mark === 0x28 || mark === 0x5b || mark === 0x7b) depth += 1;
    else if (mark === 0x29 || mark === 0x5d || mark === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > limits.nesting) return true;
  }
  return false;
}

function dataOf(files: readonly PolicyFile[], diagnostics: Diagnostic[]): Readonly<Record<string, unknown>> {
  const data: Record<string, unknown> = {};
  const owners = new Map<string, string>();
  for (const { path, source } of files.filter((file) => isData(file.path))) {
    const content = objectOf(source);
    if (content === undefined) {
      diagnostics.push(fault('wrong_data', 'the file is not a JSON object', path));
      continue;
    }
    for (const [key, value] of Object.entries(content)) {
      const other = owners.get(key);
      if (key === 'orb' || key === '__proto__')
        diagnostics.push(fault('reserved_data', `the data key ${key} is reserved`, path, 'choose another key'));
      else if (other !== undefined)
        diagnostics.push(fault('data_defined_twice', `the data key ${key} is in ${other} and in ${path}`, path));
      owners.set(key, path);
      data[key] = value;
    }
  }
  return data;
}

function objectOf(source: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A file as it is sent to the compiler. */
export interface CompilerFile {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly test: boolean;
}

/** Turns the Rego files of a folder into the compiler's input. */
export function compilerFiles(files: readonly PolicyFile[]): readonly CompilerFile[] {
  return files
    .filter(({ path }) => path.endsWith('.rego'))
    .map(({ path, source }) => ({ id: policyIdOf(path), path, source, test: isTest(path) }));
}
