import { expect } from 'chai';
import { finishOf } from '../../../../providers/llm/mapping/finish.ts';

const plain = { calls: false, refused: false };

describe('why an answer ended', () => {
  for (const [vendor, word, answer, reason] of [
    ['openai', 'stop', plain, 'stop'],
    ['openai', 'model_length', plain, 'length'],
    ['openai', 'stop', { ...plain, calls: true }, 'tool_calls'],
    ['openai', 'tool_calls', plain, 'stop'],
    ['openai', 'stop', { ...plain, refused: true }, 'refusal'],
    ['openai', 'content_filter', { ...plain, calls: true }, 'content_filter'],
    ['openai', 'error', plain, 'fault'],
    ['openai', 'toString', plain, 'stop'],
    ['anthropic', 'end_turn', { ...plain, calls: true }, 'tool_calls'],
    ['anthropic', 'refusal', plain, 'refusal'],
    ['anthropic', 'model_context_window_exceeded', plain, 'length'],
    ['anthropic', 'pause_turn', plain, 'fault'],
  ] as const)
    it(`${word} of ${vendor} with ${JSON.stringify(answer)} is ${reason}`, () =>
      expect(finishOf(vendor, word, answer)).to.equal(reason));
});
