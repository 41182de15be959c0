import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../error.ts';

const listName = 'data/shipped.json';
const example = 'platform.example.json';
// What the program reads of a folder, and a home may so inherit.
const inheritable =
  /^(?:data\/(?:orbs|orbisets)\/[^/]+\.json|policies\/(?!(?:.*\/)?\.)(?:.*\.rego|data\.json|data\/[^/]+\.json))$/;

/** The folder of the program: a home takes from it the files of `data/shipped.json` that it does not have itself. */
export class ProgramFolder {
  readonly path: string;
  #list: ReadonlyMap<string, string> | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Says whether a home is this folder: then every file in it counts, and none is inherited. */
  isHome(home: string): boolean {
    return realPathOf(home) === realPathOf(this.path);
  }

  /** Digests of the shipped files below `data` or `policies`, by their path below it. Throws ConfigError without the list. */
  shipped(folder: 'data' | 'policies'): ReadonlyMap<string, string> {
    const start = `${folder}/`;
    return new Map(
      [...this.#all()].flatMap(([file, digest]) =>
        file.startsWith(start) ? [[file.slice(start.length), digest]] : [],
      ),
    );
  }

  /** Finds a file below `data/`: in the home, else among the shipped files; the path in the home when neither has it. */
  dataFile(home: string, name: string): string {
    const own = join(home, 'data', name);
    return existsSync(own) || this.isHome(home) || !this.shipped('data').has(name)
      ? own
      : join(this.path, 'data', name);
  }

  /** Finds the settings of a home: its `data/platform.json`, else the shipped ones, as a path below the program's folder. */
  platformFile(home: string): { readonly path: string; readonly shown: string } {
    const own = join(home, 'data/platform.json');
    if (existsSync(own)) return { path: own, shown: 'platform.json' };
    // An executable may have been built with the settings of its builder; of a checkout they are those of its own home.
    const isPacked = existsSync(join(this.path, 'data/platform.json')) && this.#all().has('data/platform.json');
    const name = isPacked ? 'platform.json' : example;
    return { path: join(this.path, 'data', name), shown: name };
  }

  /** Lists the shipped files that a home inherits and that were changed or are missing, one sentence each. */
  faults(home: string): readonly string[] {
    if (this.isHome(home)) return [];
    const settings = existsSync(join(home, 'data/platform.json')) ? undefined : `data/${this.platformFile(home).shown}`;
    return [...this.#all()]
      .filter(([file]) => file === settings || (inheritable.test(file) && inherits(home, file)))
      .flatMap(([file, digest]) => faultOf(this.path, file, digest));
  }

  /** Does so for shipped files by their path below `data` or `policies`. */
  faultsOf(folder: 'data' | 'policies', names: readonly string[]): readonly string[] {
    return names.flatMap((name) => faultOf(this.path, `${folder}/${name}`, this.shipped(folder).get(name) ?? ''));
  }

  /** Lists the files of the folder that do not ship, which a home does not inherit. */
  localFiles(home: string): readonly string[] {
    if (this.isHome(home)) return [];
    return ['data', 'policies']
      .flatMap((folder) => filesBelow(this.path, folder))
      .filter((file) => file === 'data/platform.json' || inheritable.test(file))
      .filter((file) => !this.#all().has(file) && inherits(home, file));
  }

  // The list is read when it is first needed.
  #all(): ReadonlyMap<string, string> {
    return (this.#list ??= readList(this.path));
  }
}

// The files of the folder that a home would use: those it has not itself.
function inherits(home: string, file: string): boolean {
  return !existsSync(join(home, file.startsWith('policies/') ? 'policies' : file));
}

function faultOf(folder: string, file: string, digest: string): readonly string[] {
  const found = digestOf(join(folder, file));
  if (found === digest) return [];
  if (found === undefined)
    return [`${file}: is missing in the program's folder; restore it, or put your own into the home`];
  const name = file === `data/${example}` ? 'as data/platform.json ' : '';
  const whole = file.startsWith('policies/') ? 'the folder policies' : 'it';
  return [
    `${file}: the file in the program's folder is not the shipped one; copy ${whole} ${name}into the home, or restore it`,
  ];
}

/** Computes the SHA-256 of a file's content: 64 hex digits; undefined when it cannot be read. */
export function digestOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined;
  }
}

// Lists the files below a folder of a program by their path from the program's folder, without the state dir.
function filesBelow(program: string, folder: string): readonly string[] {
  const path = join(program, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return name === 'data/state' ? [] : filesBelow(program, name);
      return [name];
    });
}

/** Reads the list of the files that ship: path from the program's folder → SHA-256. Throws ConfigError. */
export function readList(program: string): ReadonlyMap<string, string> {
  try {
    const list: unknown = JSON.parse(readFileSync(join(program, listName), 'utf8'));
    if (typeof list === 'object' && list !== null && !Array.isArray(list))
      return new Map(Object.entries(list).map(([file, digest]) => [file, String(digest)]));
  } catch {
    // The fault is the same whatever is wrong with the list.
  }
  throw new ConfigError([
    `${listName}: the list of shipped files in the program's folder cannot be read; restore the file`,
  ]);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
