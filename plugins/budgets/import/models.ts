import type { PricedModel } from '../prices/file.ts';
import type { Wanted } from './wanted.ts';

/** Names of vendors in price lists, by the dialect of `llm/openai-compatible`, or by the adapter. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  openai: ['openai'],
  azure: ['azure'],
  mistral: ['mistral'],
  groq: ['groq'],
  deepseek: ['deepseek'],
  xai: ['xai', 'x-ai'],
  together: ['together_ai', 'together'],
  openrouter: ['openrouter'],
  'llm/anthropic': ['anthropic'],
  'llm/gemini': ['gemini', 'google'],
  'llm/bedrock': ['bedrock', 'bedrock_converse', 'aws'],
};

interface WrittenProvider {
  readonly adapter: string;
  readonly config?: object | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Lists the models that providers of platform.json name, and apart those whose vendor no list has. */
export function modelsInUse(providers: Readonly<Record<string, WrittenProvider>>) {
  const wanted: Wanted[] = [];
  const unlisted: PricedModel[] = [];
  for (const [provider, { adapter, config = {} }] of Object.entries(providers)) {
    if (!adapter.startsWith('llm/')) continue;
    const { dialect = 'openai', models = {} } = config as Members;
    const known = vendors[adapter] ?? (adapter === 'llm/openai-compatible' ? vendors[String(dialect)] : undefined);
    const names = new Set(
      Object.values(models as Members)
        .map(nameOf)
        .filter((name) => name !== ''),
    );
    for (const model of names)
      if (known === undefined) unlisted.push({ adapter, provider, model });
      else wanted.push({ adapter, provider, model, vendors: known });
  }
  return { wanted, unlisted };
}

// An alias names its model, or has more settings.
function nameOf(model: unknown): string {
  if (typeof model === 'string') return model;
  const { name } = (model ?? {}) as Members;
  return typeof name === 'string' ? name : '';
}
