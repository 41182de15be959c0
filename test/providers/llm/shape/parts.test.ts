import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { compile } from '../../../../kernel/index.ts';
import {
  BrokenParts,
  ChatAssembler,
  chatInputs,
  chatOutputs,
  countInputs,
  countOutputs,
  embedInputs,
  embedOutputs,
  partsOf,
  type ChatEnd,
  type ChatPart,
} from '../../../../providers/llm/contract.ts';
import { packageDir } from '../../../helpers/folder.ts';

const end: ChatEnd = { model: 'm-1', finish_reason: 'stop' };

function assembled(parts: readonly ChatPart[]): ReturnType<ChatAssembler['outputs']> {
  const assembler = new ChatAssembler();
  for (const part of parts) assembler.add(part);
  return assembler.outputs(end);
}

describe('the shape of calls of models', () => {
  for (const [id, inputs, outputs] of [
    ['llm.chat@1.0.0', chatInputs, chatOutputs],
    ['llm.count@1.0.0', countInputs, countOutputs],
    ['llm.embed@1.0.0', embedInputs, embedOutputs],
  ] as const)
    it(`is what the manifest of ${id} has`, () => {
      const text = readFileSync(join(packageDir, `data/orbs/${id}.json`), 'utf8');
      const manifest = JSON.parse(text) as Record<string, unknown>;
      expect([manifest['inputs_schema'], manifest['outputs_schema']]).to.deep.equal(
        JSON.parse(JSON.stringify([inputs, outputs])),
      );
    });

  it('admits a call with every kind of part, and refuses members that it does not name', () => {
    const check = compile(chatInputs);
    const full = {
      model: 'fast',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: [{ type: 'image', media_type: 'image/png', data_base64: 'AA==' }] },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'f', arguments_text: '{}' }] },
        { role: 'tool', content: 'ok', tool_call_id: 'c1', is_error: false },
      ],
      tool_choice: { name: 'f' },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      response_format: { type: 'json_schema', name: 's', schema: {} },
    };
    expect(check(full)).to.deep.equal([]);
    for (const wrong of [
      { n: 2 },
      { messages: [] },
      { messages: [{ role: 'robot', content: '' }] },
      { messages: [{ role: 'user', content: [{ type: 'image' }] }] },
      { model: 'a b' },
      { stop: ['a', 'b', 'c', 'd', 'e'] },
    ])
      expect(check({ ...full, ...wrong }), JSON.stringify(wrong)).to.not.deep.equal([]);
  });

  it('makes the same outputs of the same texts, wherever they were cut', () => {
    const pieces = fc.array(fc.string(), { maxLength: 5 });
    fc.assert(
      fc.property(pieces, pieces, pieces, (content, thought, args) => {
        const outputs = assembled([
          ...thought.map((text) => ({ type: 'reasoning', text }) as const),
          ...content.map((text) => ({ type: 'text', text }) as const),
          { type: 'tool_call', index: 3, id: 'c', name: 'f' },
          ...args.map((arguments_text) => ({ type: 'tool_call', index: 3, arguments_text }) as const),
          { type: 'usage', source: 'partial', input_tokens: 7 },
          { type: 'usage', source: 'vendor', output_tokens: 0 },
        ]);
        expect(outputs.content).to.equal(content.join(''));
        expect(outputs.reasoning?.text ?? '').to.equal(thought.join(''));
        expect(outputs.tool_calls).to.deep.equal([{ id: 'c', name: 'f', arguments_text: args.join('') }]);
        expect(outputs.usage).to.deep.equal({ source: 'vendor', input_tokens: 7, output_tokens: 0 });
        expect(compile(chatOutputs)(outputs)).to.deep.equal([]);
        expect(assembled(partsOf(outputs))).to.deep.equal(outputs);
      }),
    );
  });

  it('makes no outputs of a call of a tool that has no name, nor of more calls than anybody makes', () => {
    expect(() => assembled([{ type: 'tool_call', index: 0, id: 'c' }])).to.throw(BrokenParts);
    const many = Array.from(
      { length: 1025 },
      (_, index) => ({ type: 'tool_call', index, id: 'c', name: 'f' }) as const,
    );
    expect(() => assembled(many)).to.throw(BrokenParts);
  });
});
