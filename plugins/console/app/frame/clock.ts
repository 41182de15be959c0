const leastMs = 60_000;
let ahead = 0;

/**
 * Learns the time of the server from its answer (`Date`, RFC 9110 §6.6.1). A difference below a minute is the way of the
 * answer; what the browser may have kept says an old time.
 */
export function learnTime({ headers }: Response): void {
  const said = Date.parse(headers.get('date') ?? '');
  if (headers.get('cache-control') !== 'no-store') return;
  if (Math.abs(said - serverNow()) > leastMs) ahead = said - Date.now();
}

/** Answers the time of the server, in ms since 1970: the clock of a browser can be days off. */
export const serverNow = (): number => Date.now() + ahead;
