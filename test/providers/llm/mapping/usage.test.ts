import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../../../kernel/index.ts';
import { usage as schema } from '../../../../providers/llm/contract.ts';
import { mergedCounts, usageOf } from '../../../../providers/llm/mapping/usage.ts';

describe('counts of tokens', () => {
  it('of OpenAI contain what the cache read, as told', () => {
    const told = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 12 },
    };
    expect(usageOf('openai', told, 'vendor')).to.deep.equal({
      input_tokens: 100,
      cache_read_tokens: 80,
      cache_write_tokens: { default: 5 },
      output_tokens: 20,
      reasoning_tokens: 12,
      source: 'vendor',
    });
    expect(usageOf('openai', { prompt_cache_hit_tokens: 3 }, 'vendor')).to.deep.include({ cache_read_tokens: 3 });
  });

  it('of Anthropic become totals: its input is without the cache', () => {
    const told = {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
      cache_read_input_tokens: 60,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 3 },
    };
    expect(usageOf('anthropic', told, 'vendor')).to.deep.equal({
      input_tokens: 100,
      cache_read_tokens: 60,
      cache_write_tokens: { '5m': 20, '1h': 10 },
      output_tokens: 7,
      reasoning_tokens: 3,
      source: 'vendor',
    });
    const { cache_creation: _, ...older } = told;
    expect(usageOf('anthropic', older, 'vendor').cache_write_tokens).to.deep.equal({ default: 30 });
  });

  it('keep a zero, and leave absent what is not told or is no count', () => {
    expect(usageOf('openai', { prompt_tokens: 0, completion_tokens: 0 }, 'vendor')).to.deep.equal({
      input_tokens: 0,
      output_tokens: 0,
      source: 'vendor',
    });
    for (const told of [undefined, null, 'many', [], {}, { prompt_tokens: '5' }, { prompt_tokens: -1 }])
      expect(usageOf('openai', told, 'vendor'), JSON.stringify(told)).to.deep.equal({ source: 'absent' });
    expect(usageOf('openai', { prompt_tokens: 2 ** 60 }, 'vendor')).to.deep.equal({ source: 'absent' });
    const huge = { input_tokens: Number.MAX_SAFE_INTEGER, cache_read_input_tokens: 1 };
    expect(usageOf('anthropic', huge, 'vendor')).to.not.have.property('input_tokens');
  });

  it('of several events are the last one of each that is not null', () => {
    const merged = mergedCounts({ input_tokens: 4, output_tokens: 1 }, { output_tokens: 9, input_tokens: null });
    expect(merged).to.deep.equal({ input_tokens: 4, output_tokens: 9 });
    expect(mergedCounts(merged, null)).to.equal(merged);
  });

  it('fit the schema, whatever a vendor tells', () => {
    const check = compile(schema);
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('openai' as const, 'anthropic' as const), (told, vendor) => {
        expect(check(usageOf(vendor, told, 'vendor'))).to.deep.equal([]);
      }),
    );
  });
});
