// Loaded into each thread of a server: sets its clock ahead by TEST_CLOCK_AHEAD_MS, as on a machine that has it wrong.
const ahead = Number(process.env['TEST_CLOCK_AHEAD_MS'] ?? 0);
const right = Date;

globalThis.Date = class extends right {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(right.now() + ahead);
    else super(...(given as [number]));
  }

  static override now(): number {
    return right.now() + ahead;
  }
} as DateConstructor;
