import { expect } from 'chai';
import { fromGenaiPrices } from '../../../../plugins/budgets/import/genai-prices.ts';
import { fromLitellm } from '../../../../plugins/budgets/import/litellm.ts';
import { exactJson, type Imported, type Wanted } from '../../../../plugins/budgets/import/wanted.ts';
import { readPrices } from '../../../../plugins/budgets/prices/file.ts';
import { priceText } from '../prices/priced.ts';

const wanted = (model: string, vendor: string): Wanted => ({
  ...{ adapter: vendor === 'anthropic' ? 'llm/anthropic' : 'llm/openai-compatible', provider: `my-${vendor}`, model },
  vendors: [vendor],
});
const about = { source: 'list.json', day: '2026-11-28' };

function valid({ entries, notes }: Imported): Imported {
  const faults: string[] = [];
  readPrices(Buffer.from(priceText(entries)), 'prices.json', faults);
  expect(faults).to.deep.equal([]);
  return { entries, notes };
}

describe("LiteLLM's list", () => {
  const list = exactJson(`{
    "sample_spec": {"input_cost_per_token": 0.0, "litellm_provider": "one of …"},
    "claude-x": {
      "litellm_provider": "anthropic", "mode": "chat", "max_tokens": 64000, "supports_vision": true,
      "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07,
      "cache_creation_input_token_cost": 3.75e-06, "cache_creation_input_token_cost_above_1hr": 6e-06,
      "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05,
      "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 1.2e-05,
      "search_context_cost_per_query": {"search_context_size_high": 0.01}
    },
    "gpt-x": {
      "litellm_provider": "openai", "input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05,
      "input_cost_per_token_batches": 6.25e-07, "input_cost_per_token_priority": 2.5e-06,
      "output_cost_per_token_priority": 2e-05, "input_cost_per_token_above_272k_tokens": 2.5e-06,
      "input_cost_per_token_above_272k_tokens_priority": 5e-06, "input_cost_per_token_flex": 6.25e-07
    },
    "groq/llama": {"litellm_provider": "groq", "input_cost_per_token": 5.9e-07, "output_cost_per_token": 7.9e-07},
    "llama": {"litellm_provider": "openrouter", "input_cost_per_token": 9e-07},
    "odd": {"litellm_provider": "openai", "input_cost_per_token": 1e-06, "input_cost_per_token_on_sundays": 5e-07},
    "steps": {"litellm_provider": "openai", "input_cost_per_token": 1e-06, "tiered_pricing": [{"range": [0, 1]}]},
    "thinker": {
      "litellm_provider": "openai", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06,
      "output_cost_per_reasoning_token": 3e-06
    },
    "picture": {"litellm_provider": "openai", "output_cost_per_image": 0.04}
  }`);
  const of = (...models: readonly Wanted[]): Imported => valid(fromLitellm(list, { ...about, wanted: models }));

  it('becomes prices per million with all digits, by time to live and threshold', () => {
    const { entries, notes } = of(wanted('claude-x', 'anthropic'));
    expect(entries).to.deep.equal([
      {
        ...{ adapter: 'llm/anthropic', provider: 'my-anthropic', model: 'claude-x', currency: 'USD' },
        ...{ valid_from: '2026-11-28', source: 'list.json claude-x' },
        per_mtok: { input: '3', output: '15', cache_read: '0.3', cache_write: { '5m': '3.75', '1h': '6' } },
        tiers: [
          { when: { input_over: 200_000 }, per_mtok: { input: '6', output: '22.5', cache_write: { '1h': '12' } } },
        ],
      },
    ]);
    expect(notes).to.deep.equal(['my-anthropic claude-x: search_context_cost_per_query is not expressed']);
  });

  it('becomes tiers of service and of length, the narrower before the wider', () => {
    const { entries, notes } = of(wanted('gpt-x', 'openai'));
    expect(entries[0]?.tiers).to.deep.equal([
      { when: { service_tier: 'priority', input_over: 272_000 }, per_mtok: { input: '5' } },
      { when: { service_tier: 'priority' }, per_mtok: { input: '2.5', output: '20' } },
      { when: { service_tier: 'flex' }, per_mtok: { input: '0.625' } },
      { when: { input_over: 272_000 }, per_mtok: { input: '2.5' } },
    ]);
    expect(notes).to.deep.equal(['my-openai gpt-x: input_cost_per_token_batches is not expressed']);
  });

  it('is read for the vendor of the provider alone', () => {
    const { entries, notes } = of(wanted('llama', 'groq'), wanted('llama', 'mistral'));
    expect(entries.map(({ per_mtok }) => per_mtok)).to.deep.equal([{ input: '0.59', output: '0.79' }]);
    expect(notes).to.deep.equal(['my-mistral llama: the list has no price']);
  });

  for (const [model, why] of [
    ['odd', 'input_cost_per_token_on_sundays: an unknown condition'],
    ['steps', 'tiered_pricing: an unknown condition'],
    ['thinker', 'output_cost_per_reasoning_token: reasoning has a price of its own'],
    ['picture', 'the list has no price per token'],
  ] as const)
    it(`leaves ${model} out and says why`, () => {
      const { entries, notes } = of(wanted(model, 'openai'));
      expect(entries).to.deep.equal([]);
      expect(notes.at(-1)).to.equal(`my-openai ${model}: left out, ${why}`);
    });
});

describe('the list of genai-prices', () => {
  const list = exactJson(`[
    {"id": "anthropic", "models": [
      {"id": "claude-x", "match": {"or": [{"starts_with": "claude-x"}, {"equals": "x"}]}, "prices": [
        {"prices": {
          "input_mtok": {"base": 3, "tiers": [{"start": 200000, "price": 6}]},
          "cache_write_mtok": {"base": 3.75, "tiers": [{"start": 200000, "price": 7.5}]},
          "cache_read_mtok": 0.3, "output_mtok": {"base": 15, "tiers": [{"start": 200000, "price": 22.5}]}
        }},
        {"constraint": {"start_date": "2026-03-13"}, "prices": {"input_mtok": 3, "output_mtok": 15}}
      ]},
      {"id": "night", "match": {"equals": "night"}, "prices": [
        {"constraint": {"start_time": "00:30:00Z", "end_time": "16:30:00Z"}, "prices": {"input_mtok": 1}}
      ]}
    ]},
    {"id": "openai", "models": [
      {"id": "ada", "match": {"equals": "ada"}, "prices": {"input_mtok": 0.02}},
      {"id": "talk", "match": {"equals": "talk"}, "prices": {"input_mtok": 1, "input_audio_mtok": 9}},
      {"id": "call", "match": {"equals": "call"}, "prices": {"input_mtok": 1, "requests_kcount": 5}}
    ]}
  ]`);
  const of = (...models: readonly Wanted[]): Imported => valid(fromGenaiPrices(list, { ...about, wanted: models }));

  it('becomes prices by the day from which they hold, with thresholds', () => {
    const { entries, notes } = of(wanted('claude-x-20260101', 'anthropic'));
    expect(entries.map(({ valid_from, per_mtok, tiers }) => ({ valid_from, per_mtok, tiers }))).to.deep.equal([
      {
        valid_from: '1970-01-01',
        per_mtok: { input: '3', output: '15', cache_read: '0.3', cache_write: { '5m': '3.75' } },
        tiers: [
          {
            when: { input_over: 200_000 },
            per_mtok: { input: '6', output: '22.5', cache_read: '0.3', cache_write: { '5m': '7.5' } },
          },
        ],
      },
      { valid_from: '2026-03-13', per_mtok: { input: '3', output: '15' }, tiers: undefined },
    ]);
    expect(notes).to.deep.equal([]);
  });

  it('gives an embedding its input price alone', () => {
    expect(of(wanted('ada', 'openai')).entries.map(({ per_mtok }) => per_mtok)).to.deep.equal([{ input: '0.02' }]);
  });

  for (const [model, vendor, note] of [
    ['night', 'anthropic', 'left out, start_time, end_time: an unknown condition'],
    ['call', 'openai', 'left out, requests_kcount: a price that is not per token'],
    ['talk', 'openai', 'input_audio_mtok is not expressed'],
    ['none', 'openai', 'the list has no price'],
  ] as const)
    it(`says of ${model} what it does not express`, () => {
      expect(of(wanted(model, vendor)).notes).to.deep.equal([`my-${vendor} ${model}: ${note}`]);
    });
});
