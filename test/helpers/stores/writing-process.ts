import { writeSync } from 'node:fs';
import { operation } from '../../../kernel/index.ts';
import notes from './notes.ts';
import { Stores } from './open.ts';

// Opens the store of the folder in argv[2], says `open`, then writes until it is killed and prints each id once it is
// acknowledged. argv[3] is what its ids begin with; without it nothing is written.
const [, , stateDir = '', prefix] = process.argv;
const store = await new Stores().open(stateDir);
say('open');

async function writeOn(client: number, first: string): Promise<never> {
  for (let count = 0; ; count++) {
    const id = `${first}-${client}-${count}`;
    await store.write([operation(notes, 'append', { id, text: 'kept' })]);
    say(id);
  }
}

if (prefix !== undefined) await Promise.all(Array.from({ length: 20 }, (_, client) => writeOn(client, prefix)));

// Says it before anything else happens, and again while the pipe is full: what was acknowledged is told before the kill.
function say(line: string): void {
  for (;;)
    try {
      return void writeSync(1, `${line}\n`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
}
