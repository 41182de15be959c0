import { existsSync, readFileSync } from 'node:fs';
import { ConfigError, defineCommand, replaceFileSync, timestamp, type Command } from '../../../kernel/index.ts';
import { pricesPath } from '../files.ts';
import { readPrices, type PriceEntry } from '../prices/file.ts';

const formats = {
  litellm: async () => (await import('./litellm.ts')).fromLitellm,
  'genai-prices': async () => (await import('./genai-prices.ts')).fromGenaiPrices,
} as const;

const isFormat = (name: unknown): name is keyof typeof formats => typeof name === 'string' && name in formats;

const importCommand = defineCommand({
  path: 'prices import',
  summary: 'take the prices of the models in use from a price list that you obtained',
  args: [
    { name: 'file', description: "LiteLLM's `model_prices_and_context_window.json`, or `data.json` of genai-prices" },
  ],
  options: [{ flag: '--format <format>', description: 'what the file is: litellm or genai-prices; required' }],
  async run({ args: [file = ''], installation, note, options: { format }, print }) {
    if (!isFormat(format)) {
      note(`--format is required: ${Object.keys(formats).join(' or ')}`);
      return 2;
    }
    const faults: string[] = [];
    const config = installation.read(faults);
    const list = await readList(file);
    if (faults.length > 0) throw new ConfigError(faults);
    if (list === undefined) {
      note(`${file} cannot be read as JSON`);
      return 3;
    }
    const { modelsInUse } = await import('./models.ts');
    const { unlisted, wanted } = modelsInUse(config.providers);
    const day = timestamp(Date.now()).slice(0, 10);
    const { entries, notes } = (await formats[format]())(list, { wanted, source: file.slice(-400), day });
    const path = pricesPath(config);
    const kept = existing(path);
    const prices = merged(kept, entries);
    if (entries.length > 0) replaceFileSync(path, `${JSON.stringify({ version: 1, prices }, undefined, 2)}\n`);
    const byHand = unlisted.map(
      ({ provider, model }) => `${provider} ${model}: no list has its vendor; write the price by hand`,
    );
    const lines = [...notes, ...byHand];
    const added = entries.map(({ provider = '', model, per_mtok: { input, output = '-' } }) => [
      provider,
      model,
      input,
      output,
    ]);
    const text = added.map(
      ([provider, model, input, output]) => `${provider} ${model}: ${input} / ${output} per million`,
    );
    const last =
      entries.length > 0 ? `${path}: ${entries.length} imported, ${prices.length} in all` : 'no price was imported';
    print({ path, imported: entries, notes: lines }, [...text, ...lines, last].join('\n'));
    return entries.length > 0 ? 0 : 1;
  },
});

async function readList(file: string): Promise<unknown> {
  const { exactJson } = await import('./wanted.ts');
  try {
    return exactJson(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function existing(path: string): readonly PriceEntry[] {
  if (!existsSync(path)) return [];
  const faults: string[] = [];
  const prices = readPrices(readFileSync(path), path, faults);
  if (prices === undefined) throw new ConfigError(faults);
  return [...prices.models.values()].flat();
}

// A price that holds from the same day is replaced; the others stay, for the calls of their time.
function merged(kept: readonly PriceEntry[], entries: readonly PriceEntry[]): readonly PriceEntry[] {
  const keyOf = ({ adapter, provider = '', model, valid_from }: PriceEntry): string =>
    [adapter, provider, model, valid_from].join('\n');
  const fresh = new Set(entries.map(keyOf));
  const all = [...kept.filter((one) => !fresh.has(keyOf(one))), ...entries];
  return all.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Commands of prices. */
export const priceCommands: readonly Command[] = [importCommand];
