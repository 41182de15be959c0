import { parentPort } from 'node:worker_threads';
import { normalize, type Stored } from './normalize.ts';

/** How many signals cross at once: each crossing blocks the event loop of the other side for a moment only. */
const chunk = 500;

// Runs in a thread of its own: what is large is parsed here, so that it keeps nobody else waiting.
parentPort?.on('message', (stored: Stored) => void answer(stored));

async function answer(stored: Stored): Promise<void> {
  try {
    const result = await normalize(stored);
    if ('undecodable' in result) {
      parentPort?.postMessage({ kind: 'undecodable', ...result });
      return;
    }
    for (let at = 0; at < result.signals.length; at += chunk)
      parentPort?.postMessage({ kind: 'signals', signals: result.signals.slice(at, at + chunk) });
    parentPort?.postMessage({ kind: 'done', version: result.version });
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}
