import { Pool } from 'undici';
import { echo, startFixture, type Fixture } from '../providers/mcp/fixture.ts';
import { median } from './load.ts';
import { mcpHeaders, mcpMessage } from './mcp-call.ts';
import { startGoverned, type Target } from './server.ts';
import { printTable, type Row } from './table.ts';

const inputs = { text: 'hello' };
const warmUp = 50;

/** Prints how much longer a call takes through a provider of the capability `mcp` than the direct call, one at a time. */
export async function upstreamCosts(seconds: number): Promise<void> {
  const fixture = await startFixture();
  const providers = { files: { adapter: 'mcp/http', config: { url: fixture.url, private: true } } };
  const governed = await startGoverned({ settings: { providers } });
  try {
    await importTool(governed);
    const direct = new Caller(fixture.url, 'none', echo.name);
    const through = new Caller(
      `${governed.url}/orbisets/default/mcp`,
      governed.key,
      `files_${echo.name.replace('_', '-')}`,
    );
    const before = openings(fixture);
    for (const caller of [direct, through]) await caller.call(warmUp);
    const figures: { readonly direct: number[]; readonly through: number[] } = { direct: [], through: [] };
    const end = performance.now() + seconds * 2000;
    while (performance.now() < end) {
      figures.direct.push(...(await direct.call(20)));
      figures.through.push(...(await through.call(20)));
    }
    const row = (name: string, times: readonly number[]): Row => [
      name,
      median(times).toFixed(2),
      (median(times) - median(figures.direct)).toFixed(2),
    ];
    printTable(
      'A tool of another server, one call at a time',
      ['p50 ms', 'more ms'],
      [row('called directly', figures.direct), row('through the platform, with its receipt', figures.through)],
    );
    console.log(
      `  handshakes during ${figures.through.length} calls through the platform: ${openings(fixture) - before}`,
    );
  } finally {
    await governed.stop();
    await fixture.close();
  }
}

const openings = (fixture: Fixture): number => fixture.count('initialize') + fixture.count('server/discover');

async function importTool({ key, url }: Target): Promise<void> {
  const answer = await fetch(`${url}/providers/files/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ write: true, trust_annotations: true }),
  });
  if (!answer.ok) throw new Error(`the tool was not imported: ${await answer.text()}`);
}

/** Calls one tool over one connection. */
class Caller {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: string;

  constructor(address: string, key: string, tool: string) {
    const { origin, pathname } = new URL(address);
    this.#pool = new Pool(origin, { connections: 1 });
    this.#path = pathname;
    this.#headers = { ...mcpHeaders(tool), Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    this.#body = JSON.stringify(mcpMessage(tool, inputs));
  }

  /** Calls it so often; answers how long each call took, in milliseconds. Throws when one does not succeed. */
  async call(times: number): Promise<number[]> {
    const took: number[] = [];
    for (let at = 0; at < times; at++) {
      const begun = performance.now();
      const options = { method: 'POST', path: this.#path, headers: this.#headers, body: this.#body } as const;
      const { body, statusCode } = await this.#pool.request(options);
      const text = await body.text();
      took.push(performance.now() - begun);
      if (statusCode !== 200 || text.includes('"isError":true') || text.includes('"error":')) throw new Error(text);
    }
    return took;
  }
}
