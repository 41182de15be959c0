import { send, type Received, type Sent } from '../helpers/http.ts';
import type { Book } from './book.ts';
import type { Site } from './site.ts';

/** A request, and the statuses that are right for it. */
export interface Asked extends Sent {
  readonly fits?: readonly number[];
}

/** Asks the server; an answer that is not right is a fault in the book, unless a restart explains it. */
export interface Client {
  /** Undefined when the connection broke during a restart. */
  ask(path: string, asked?: Asked): Promise<Received | undefined>;
  /** Asks again, the same, until there is an answer that is final; for requests that may be repeated. */
  insist(path: string, asked?: Asked): Promise<Received | undefined>;
}

// Answers that say "again, later" of a server that ends or begins. An unavailable policy decides a run: that is final.
const passing = new Set(['draining', 'storage_unavailable', 'overloaded']);

/** Creates a client. `over` ends insisting. */
export function createClient(site: Site, book: Book, over: AbortSignal): Client {
  const ask: Client['ask'] = async (path, { fits = [200], ...sent } = {}) => {
    await site.up();
    const begun = Date.now();
    const label = `${sent.method ?? (sent.json === undefined && sent.body === undefined ? 'GET' : 'POST')} ${shortened(path)}`;
    const received = await send(site.url, path, sent).catch((error: unknown) => {
      if (site.disturbedSince(begun)) book.count('broken by a restart');
      else book.fault(`${label}: ${causeOf(error)}`);
      return undefined;
    });
    if (received === undefined) return undefined;
    book.count('answers');
    if (!fits.includes(received.status)) judge(received, label, site.disturbedSince(begun));
    return received;
  };

  const judge = ({ status, json, text }: Received, label: string, disturbed: boolean): void => {
    const code = codeOf(json);
    if (status === 503 && code === 'policy_unavailable') return book.count('policy_unavailable');
    const starting = passing.has(code ?? '') || label === 'GET /health/ready';
    if (status === 503 && disturbed && starting) return book.count('503 around a restart');
    // Whether a crash explains how a run ended is known when the run is read, at the end.
    if (status >= 500 && typeof json['run_id'] === 'string') return book.count('runs ended by a crash');
    if (status >= 500) book.count('wrong 5xx');
    book.fault(`${label} answered ${status} ${text.slice(0, 300)}`);
  };

  return {
    ask,
    async insist(path, asked = {}) {
      for (;;) {
        const received = await ask(path, { ...asked, fits: [...(asked.fits ?? [200]), 409] });
        const code = received === undefined ? undefined : codeOf(received.json);
        const final = received !== undefined && !passing.has(code ?? '') && code !== 'idempotency_in_progress';
        if (final || over.aborted) return received;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
  };
}

/** The code of a problem, or undefined. */
export function codeOf(json: Readonly<Record<string, unknown>>): string | undefined {
  return typeof json['code'] === 'string' ? json['code'] : undefined;
}

// Tokens of sources are secret and ids say nothing.
function shortened(path: string): string {
  return path.replace(/^\/hooks\/.*/, '/hooks/…').replace(/(run|rec|dlv)_[0-9A-Z]+/, '$1_…');
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
