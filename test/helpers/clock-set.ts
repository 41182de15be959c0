import { readFileSync } from 'node:fs';

// Loaded into each thread of a server: sets its clock ahead by as many milliseconds as the file TEST_CLOCK_FILE says at
// the time, as on a machine whose clock is set while it runs.
const file = process.env['TEST_CLOCK_FILE'] ?? '';
const right = Date;
let ahead = 0;

function look(): void {
  try {
    ahead = Number(readFileSync(file, 'utf8'));
  } catch {
    ahead = 0;
  }
}
look();
setInterval(look, 50).unref();

globalThis.Date = class extends right {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(right.now() + ahead);
    else super(...(given as [number]));
  }

  static override now(): number {
    return right.now() + ahead;
  }
} as DateConstructor;
