import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageDir } from '../helpers/folder.ts';

/** A function of a source file, by its place in the text. */
export interface EnteredFunction {
  /** Offsets of UTF-16 units: Node strips types without moving the rest. */
  readonly start: number;
  readonly end: number;
}

/** The functions of each source file that the processes of one file of tests entered, by path below the checkout. */
export type Entered = ReadonlyMap<string, readonly EnteredFunction[]>;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

const sources = /^(?:kernel|plugins|providers)\//;

/** Reads and removes a folder that NODE_V8_COVERAGE named, and answers which functions of the program were entered. */
export function takeCoverage(folder: string): Entered {
  const entered = new Map<string, Map<string, EnteredFunction>>();
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    for (const script of scriptsOf(join(folder, name))) {
      const file = sourceOf(script.url);
      if (file === undefined) continue;
      const functions = entered.get(file) ?? new Map<string, EnteredFunction>();
      entered.set(file, functions);
      for (const { ranges } of script.functions) {
        const [whole] = ranges;
        if (whole === undefined || whole.count === 0) continue;
        const { startOffset: start, endOffset: end } = whole;
        functions.set(`${start}-${end}`, { start, end });
      }
    }
  rmSync(folder, { recursive: true, force: true });
  return new Map([...entered].map(([file, functions]) => [file, [...functions.values()]]));
}

// A process that was killed leaves half a file.
function scriptsOf(path: string): readonly ScriptCoverage[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly result: readonly ScriptCoverage[] }).result;
  } catch {
    return [];
  }
}

function sourceOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = relative(packageDir, fileURLToPath(url.replace(/[?#].*$/, '')));
  return sources.test(file) && file.endsWith('.ts') ? file : undefined;
}
