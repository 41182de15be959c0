import { writeFileSync } from 'node:fs';
import { startEcho, startGoverned, type GovernedOptions, type Target } from '../server.ts';

/** The double of a vendor, and the platform before it. */
export interface Bed {
  readonly double: Target;
  readonly governed: Target;
  stop(): Promise<void>;
}

/** Models of the double. */
export const models = ['whole', 'apart', 'silent'] as const;

/** Which answer of the double a call asks for. */
export interface Wanted {
  readonly model?: (typeof models)[number];
  readonly stream?: boolean;
}

/** Makes the body of a chat completion. */
export function completionOf({ model = 'whole', stream = false }: Wanted): object {
  const messages = [
    { role: 'system', content: 'You answer in the words of the bench, and in no others.' },
    { role: 'user', content: 'The quick brown fox jumps over the lazy dog: how often, and until when?' },
  ];
  return { model, messages, max_tokens: 64, ...(stream && { stream: true, stream_options: { include_usage: true } }) };
}

/** Starts a double, and a platform with a provider of models and one of HTTP that both call it. */
export async function startBed(options: GovernedOptions = {}): Promise<Bed> {
  const double = await startEcho('double', 'models/double.ts');
  const { hostname: host, port } = new URL(double.url);
  const llm = { dialect: 'vllm', base_url: `${double.url}/v1`, max_connections: 4096, idle_timeout_ms: 600_000 };
  const web = { allow: [{ host, port: Number(port), private: true }], max_connections: 64 };
  const providers = {
    llm: { adapter: 'llm/openai-compatible', config: { ...llm, models: Object.fromEntries(models.map(empty)) } },
    web: { adapter: 'http/client', config: web },
  };
  // Of a server that does not start, only the error is to stay: the double would keep the bench from its end.
  const governed = await startGoverned({ ...options, settings: { providers } }).catch(async (error: unknown) => {
    await double.stop();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await governed.stop();
    await double.stop();
  };
  return { double, governed, stop };
}

const empty = (name: string): readonly [string, object] => [name, {}];

/** The path of the door, of the double as well. */
export const completionsPath = '/v1/chat/completions';

type Headers = Readonly<Record<string, string>>;

/** Writes a script for wrk that sends a chat completion. */
export function writeCompletions(path: string, key: string, wanted: Wanted, headers: Headers = {}): void {
  writeScriptOf(path, { ...headers, ...bearer(key) }, { to: completionsPath, body: completionOf(wanted) });
}

/** Writes a script for wrk that lets http.send send the same to the double. */
export function writeSends(path: string, { double, governed }: Bed, wanted: Wanted): void {
  const inputs = { url: `${double.url}${completionsPath}`, method: 'POST', json: completionOf(wanted) };
  const body = { orb_id: 'http.send@1.0.0', inputs };
  writeScriptOf(path, bearer(governed.key), { to: '/orbisets/default/execute', body });
}

const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` });

function writeScriptOf(
  path: string,
  headers: Headers,
  { to, body }: { readonly to: string; readonly body: object },
): void {
  const text = JSON.stringify(body).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const all = { ...headers, 'Content-Type': 'application/json' };
  const lines = Object.entries(all).map(([name, value]) => `wrk.headers['${name}'] = '${value}'`);
  writeFileSync(path, [`wrk.method = 'POST'`, `wrk.path = '${to}'`, `wrk.body = '${text}'`, ...lines, ''].join('\n'));
}
