import { serveThread } from '../../../../kernel/index.ts';
import { normalize, type Stored } from './normalize.ts';
import type { ThreadAnswer } from './normaliser-thread.ts';

/** How many signals cross at once: each crossing blocks the event loop of the other side for a moment only. */
const chunk = 500;

// Runs in a thread of its own: what is large is parsed here, so that it keeps nobody else waiting.
serveThread(async (stored: Stored, send): Promise<ThreadAnswer> => {
  const result = await normalize(stored);
  if ('undecodable' in result) return result;
  for (let at = 0; at < result.signals.length; at += chunk) send(result.signals.slice(at, at + chunk));
  return { version: result.version };
});
