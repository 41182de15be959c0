import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chatOrb } from '../../../../plugins/models/scope.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { key as anthropicKey } from '../../../providers/llm/vendors/anthropic.ts';
import { key as openaiKey } from '../../../providers/llm/vendors/openai.ts';

/** Whose API: of a vendor, and of a door. */
export type Api = 'anthropic' | 'openai';

/** The adapters, by the API that they speak. */
export const orbAdapters = { openai: 'llm/openai-compatible', anthropic: 'llm/anthropic' } as const;

/** Makes a provider that calls a double. */
export function providerOf(api: Api, url: string, more: object = {}) {
  return { adapter: orbAdapters[api], config: { api_key: { $env: keyNames[api] }, base_url: `${url}/v1`, ...more } };
}

const keyNames = { openai: 'TEST_OPENAI_KEY', anthropic: 'TEST_ANTHROPIC_KEY' } as const;

/** The environment of a server whose providers are these. */
export const gatewayEnv = { [keyNames.openai]: openaiKey, [keyNames.anthropic]: anthropicKey };

/** Names the model of one call: each call of these tests has its own, so that its receipt tells which it is. */
export const modelOf = (number: number): string => `m-${number}`;

// Per million tokens.
const [inputDollars, outputDollars] = [3, 15];

/** Computes what a call costs by the prices of these tests. */
export function nanosOf({ input_tokens, output_tokens }: { input_tokens: number; output_tokens: number }): number {
  return input_tokens * inputDollars * 1000 + output_tokens * outputDollars * 1000;
}

/** The settings of a platform with a provider of each adapter, which call one double, and one budget of so many nano-dollars. */
export function gatewayPlatform(url: string, nanos = 1e12): Readonly<Record<string, unknown>> {
  const providers = { openai: providerOf('openai', url), anthropic: providerOf('anthropic', url) };
  return {
    providers,
    bindings: { [chatOrb]: Object.keys(providers) },
    plugins: { budgets: { config: { budgets: [{ scope: 'tenant', per: 'month', nanos }] } } },
  };
}

/** Makes an Orbiset for each adapter, so that the caller chooses; `more`: providers that stand in. */
export function orbisets(more: readonly string[] = []): Readonly<Record<string, object>> {
  const files = Object.keys(orbAdapters).map((id) => {
    return [`orbisets/${id}.json`, { id, tenant: 'default', orbs: ['*'], providers: [id, ...more] }];
  });
  return Object.fromEntries(files) as Readonly<Record<string, object>>;
}

/** Writes the files below `data/` of a home. */
export function writeGateway(home: string, calls: number): void {
  writeData(home, { ...gatewayData(calls), ...orbisets() });
}

/** Writes files below `data/` of a home. */
export function writeData(home: string, files: Readonly<Record<string, object>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, 'data', name)), { recursive: true });
    writeFileSync(join(home, 'data', name), JSON.stringify(content));
  }
}

/** Makes the files below `data/`: the Orb of chat, and prices of the models of so many calls. */
export function gatewayData(calls: number): Readonly<Record<string, object>> {
  const orb = JSON.parse(readFileSync(join(packageDir, `data/orbs/${chatOrb}.json`), 'utf8')) as object;
  const per_mtok = { input: String(inputDollars), output: String(outputDollars) };
  const prices = Object.values(orbAdapters).flatMap((adapter) =>
    Array.from({ length: calls }, (_, number) => ({
      ...{ adapter, model: modelOf(number), valid_from: '2026-01-01', source: 'test', currency: 'USD', per_mtok },
    })),
  );
  return { [`orbs/${chatOrb}.json`]: orb, 'prices.json': { version: 1, prices } };
}

/** The body of a call at a door. */
export function bodyOf(door: Api, number: number, { stream = true, prompt = 'Hello' } = {}): object {
  const messages = [{ role: 'user', content: prompt }];
  const limit = door === 'openai' ? { max_completion_tokens: mostOutput } : { max_tokens: mostOutput };
  const counted = door === 'openai' && stream ? { stream_options: { include_usage: true } } : {};
  return { model: modelOf(number), messages, stream, ...limit, ...counted };
}

/** What every call of these tests limits its answer to. */
export const mostOutput = 40;

/** The most that a call with the usual prompt may cost: 4 bytes of the role, 5 of the text, and 16 of the message. */
export const mostNanos = nanosOf({ input_tokens: 4 + 5 + 16, output_tokens: mostOutput });

/** The path of a door. */
export const pathOf = (door: Api): string => (door === 'openai' ? '/v1/chat/completions' : '/v1/messages');
