// Loaded into the server before its own program: on SIGUSR2 every thread collects its garbage and gives back the room it
// took. What is left is what lives, so that a leak shows and the heap that grows and shrinks as it likes does not.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;
// The usual collection keeps the room of the young generation, which grows for a quarter of an hour.
const collect = (): void => gc({ type: 'major', flavor: 'last-resort' });
const channel = new BroadcastChannel('collect');
channel.onmessage = collect;
channel.unref();

if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage(null);
    collect();
  });
