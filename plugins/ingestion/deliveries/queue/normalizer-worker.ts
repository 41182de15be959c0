import { serveThread } from '../../../../kernel/index.ts';
import { normalize, type Stored } from './normalize.ts';
import type { ThreadAnswer } from './normalizer-thread.ts';

/** Number of signals per message, so that each message blocks the receiving event loop only briefly. */
const chunk = 500;

// Large deliveries are parsed in this thread, so they do not block the others.
serveThread(async (stored: Stored, send): Promise<ThreadAnswer> => {
  const result = await normalize(stored);
  if ('undecodable' in result) return result;
  for (let at = 0; at < result.signals.length; at += chunk) send(result.signals.slice(at, at + chunk));
  return { version: result.version };
});
