import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/index.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

/** A source made through the API, with what its vendor would be told. */
export interface MadeSource {
  readonly source_id: string;
  /** Path of its hook. */
  readonly path: string;
  readonly secret: string;
}

/** One request at a hook. */
export interface Hooked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A platform with what tests of ingestion do all the time. */
export interface IngestionHome {
  readonly platform: TestPlatform;
  source(body: object): Promise<MadeSource>;
  /** Sends bytes to a hook as a vendor would. */
  hook(path: string, hooked: Hooked): Promise<Answer>;
  /** Waits until a delivery has left the queue, and reads it. */
  settled(deliveryId: string): Promise<Answer['body']>;
  get(path: string): Promise<Answer['body']>;
  stop(): Promise<void>;
}

/** A clock that stands a day after the golden payloads and runs. */
export function lateClock(): Clock & { ahead(ms: number): void } {
  const begin = performance.now();
  let extra = 0;
  return {
    now: () => Math.floor(Date.UTC(2026, 10, 21, 12) + extra + performance.now() - begin),
    monotonic: () => performance.now() + extra,
    ahead: (ms) => (extra += ms),
  };
}

/** Starts it. */
export async function startIngestion(options: PlatformOptions = {}): Promise<IngestionHome> {
  const platform = await startPlatform({ clock: lateClock(), ...options });
  const get = async (path: string): Promise<Answer['body']> => (await platform.call('GET', path)).body;
  return {
    platform,
    get,
    async source(body) {
      const { status, body: made } = await platform.call('POST', '/sources', body);
      if (status !== 201) throw new Error(JSON.stringify(made));
      const given = (body as { secret?: string }).secret;
      return { source_id: made.source.source_id, path: `/hooks/${made.token}`, secret: made.secret ?? given ?? '' };
    },
    hook: (path, hooked) => hookAt(platform.url + path, hooked),
    settled: (id) =>
      until(
        () => get(`/deliveries/${id}`),
        ({ delivery }) => delivery.state !== 'queued',
        id,
        10,
      ),
    stop: () => platform.stop(),
  };
}

// Sends one request at a hook and reads the answer.
async function hookAt(url: string, { method = 'POST', headers = {}, body }: Hooked): Promise<Answer> {
  const bytes = typeof body === 'string' ? body : body === undefined ? undefined : new Uint8Array(body);
  const response = await fetch(url, { method, headers, ...(bytes === undefined ? {} : { body: bytes }) });
  const text = await response.text();
  const json = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: json ? (JSON.parse(text) as unknown) : text };
}

/** Reads a golden payload as the vendor sends it. */
export function golden(name: string): string {
  return readFileSync(join(import.meta.dirname, 'sources/vendors/payloads', `${name}.json`), 'utf8');
}
