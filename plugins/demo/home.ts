import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../kernel/index.ts';

/** The folder of a demonstration. */
export interface DemoHome {
  readonly path: string;
  /** Writes a file of it: a text as it is, all else as JSON. */
  write(name: string, content: unknown): void;
  /** Removes all that the demonstration wrote, and the folder if it made it. */
  remove(): void;
}

/** Makes the folder of a demonstration: a temporary one, or the empty one that is named. Throws ConfigError. */
export function openHome(named: string | undefined): DemoHome {
  const wasThere = named !== undefined && existsSync(named);
  if (wasThere && readdirSync(named).length > 0)
    throw new ConfigError([
      `ORB_HOME: ${named} is not empty, and a demonstration never uses the home of a server; name an empty folder, or none`,
    ]);
  const path = named === undefined ? mkdtempSync(join(tmpdir(), 'orb-demo-')) : resolve(named);
  mkdirSync(path, { recursive: true });
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`);
    },
    remove() {
      if (!wasThere) return rmSync(path, { recursive: true, force: true });
      for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
    },
  };
}
