import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './folder.ts';
import { parseSettings } from '../../kernel/config/config.ts';

/** Reads the settings that ship, which serve a home without `data/platform.json`. */
export function shippedSettings(): object {
  return parseSettings(readFileSync(join(packageDir, 'data/platform.example.json'), 'utf8')) as object;
}
