/** The part of croner that is used; it computes times and starts no timer. */
declare module 'croner' {
  export interface CronOptions {
    readonly timezone: string;
    readonly mode: '5-part';
    readonly fixedTimeRule: 'no-wildcard';
    readonly paused: true;
  }

  export class Cron {
    constructor(pattern: string, options: CronOptions);
    nextRun(after: Date): Date | null;
  }
}
