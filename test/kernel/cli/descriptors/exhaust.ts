import { closeSync, openSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Loaded into a server before the program: on SIGUSR2 it holds every descriptor that the system still gives, and keeps
// taking those that others give back, for five seconds; then it writes the file `released`.
const heldMs = 5000;

function take(held: number[]): void {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    // There is no other left.
  }
}

if (isMainThread)
  process.on('SIGUSR2', () => {
    const held: number[] = [];
    take(held);
    const taking = setInterval(() => take(held), 10);
    setTimeout(() => {
      clearInterval(taking);
      for (const descriptor of held) closeSync(descriptor);
      writeFileSync('released', '');
    }, heldMs);
  });
