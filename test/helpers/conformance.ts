import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './folder.ts';
import type { ConformanceOptions as KitOptions } from '../../plugins/kit/conformance/options.ts';
import { conformanceChecks } from '../../plugins/kit/conformance/suite.ts';

export { testKey } from '../../plugins/kit/conformance/bench.ts';
export type { Fault, Receiver } from '../../plugins/kit/conformance/options.ts';

/** What the suite needs to know of one adapter; the manifest of the Orb is read from data/orbs. */
export interface ConformanceOptions extends Omit<KitOptions, 'orb'> {
  readonly orbId: string;
}

/** Declares, inside a `describe`, what every adapter must keep to. Options are called after the `before` hooks. */
export function conformance({ orbId, ...options }: ConformanceOptions): void {
  const text = readFileSync(join(packageDir, `data/orbs/${orbId}.json`), 'utf8');
  const orb = JSON.parse(text) as KitOptions['orb'];
  for (const { title, run } of conformanceChecks({ ...options, orb })) it(title, run);
}
