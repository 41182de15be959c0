import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { load } from '../load.ts';
import { topFunctions } from '../profile.ts';
import { startBed, writeCompletions } from './bed.ts';

/** Prints where the CPU of a chat completion goes, and that of a stream. */
export async function profileCalls(dir: string, seconds: number): Promise<void> {
  for (const stream of [false, true]) {
    const profileDir = join(dir, stream ? 'stream' : 'whole');
    mkdirSync(profileDir);
    const { governed, stop } = await startBed({ profileDir });
    const script = join(dir, 'profile.lua');
    writeCompletions(script, governed.key, { stream });
    await load(governed, script, 32, seconds);
    await stop();
    for (const { thread, lines } of topFunctions(profileDir, 25))
      console.log(`\n${stream ? 'a stream' : 'a chat completion'}, ${thread}, time of its own\n${lines.join('\n')}`);
  }
}
