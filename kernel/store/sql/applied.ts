import { createHash } from 'node:crypto';
import { ConfigError } from '../../error.ts';
import type { Row } from '../contract.ts';

/** The owner of the tables, and the texts in order. */
export interface Migrations {
  readonly name: string;
  readonly migrations: readonly string[];
}

/** Throws ConfigError when an applied text is unknown to this program, or was changed since. */
export function checkKnown(name: string, migrations: readonly string[], known: readonly Row[]): void {
  if (known.length > migrations.length)
    throw new ConfigError([
      `store ${name}: the file was written by a newer program (migration ${known.length}, this one knows ${migrations.length}); install that version or newer, or restore a backup from before the upgrade (orb restore)`,
    ]);
  known.forEach(({ sha256: hash }, index) => {
    if (hash !== sha256(migrations[index] ?? ''))
      throw new ConfigError([
        `store ${name}: migration ${index + 1} was changed after it was applied; restore its text and add a new migration`,
      ]);
  });
}

/** The checksum under which a migration is noted. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
