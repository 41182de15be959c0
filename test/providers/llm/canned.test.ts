import { expect } from 'chai';
import adapter from '../../../providers/llm/canned.ts';
import { conformance } from '../../helpers/conformance.ts';
import { assembled, call, createStage, question } from './vendors/bed.ts';

const tool = { id: 'c1', name: 'weather', arguments_text: '{"city":"Praha 🍺"}' };
const answers = [
  { contains: 'Weather', content: '', reasoning: 'Hm', tool_calls: [tool] },
  { contains: 'count', content: 'Grüß 👋 dich', usage: { input_tokens: 3, output_tokens: 0 } },
];

describe('llm/canned', () => {
  for (const [orbId, inputs] of [
    ['llm.chat@1.0.0', { ...question, model: 'any' }],
    ['llm.embed@1.0.0', { model: 'any', input: 'text' }],
  ] as const)
    describe(orbId, () =>
      conformance({
        adapter,
        orbId,
        config: () => ({}),
        inputs,
        faults:
          orbId === 'llm.chat@1.0.0'
            ? [{ name: 'no answer fits', outcome: 'rejected', arrange: () => ({ answers }) }]
            : [],
      }),
    );

  const { open } = createStage({ adapter } as never);
  const ask = (content: string) => ({ model: 'any', messages: [{ role: 'user', content }] });

  it('is a sandbox: nothing leaves the process', () => expect(adapter.sandbox).to.equal(true));

  for (const [word, expected] of [
    [
      'weather',
      { tool_calls: [tool], finish_reason: 'tool_calls', reasoning: { text: 'Hm' }, usage: { source: 'absent' } },
    ],
    ['count', { content: 'Grüß 👋 dich', usage: { input_tokens: 3, output_tokens: 0, source: 'vendor' } }],
  ] as const)
    it(`answers "${word}" the same, streamed or not`, async () => {
      const handle = await open({ answers, part_length: 2 });
      const whole = await call(handle, ask(`The ${word}?`));
      const streamed = await call(handle, ask(`The ${word}?`), { streamed: true });
      expect(whole.outputs).to.deep.include(expected);
      expect(streamed.outputs).to.deep.equal(whole.outputs);
      expect(streamed.parts.length).to.be.greaterThan(5);
      expect(whole.outputs).to.deep.include(assembled(streamed.parts));
    });

  it('counts the tokens that its configuration has, and no others', async () => {
    const handle = await open({ answers });
    const count = (content: string) => call(handle, { model: 'any', prompt: { messages: ask(content).messages } });
    expect((await count('count')).outputs).to.deep.equal({ model: 'any', input_tokens: 3 });
    expect((await count('The weather?')).error).to.include({ outcome: 'rejected', phase: 'uncounted' });
  });

  it('stops between parts when the call ends', async () => {
    const handle = await open({ delay_ms: 10_000 });
    const signal = AbortSignal.timeout(50);
    const { error } = await call(handle, ask('Hello'), { streamed: true, signal });
    expect(error).to.include({ outcome: 'unknown', phase: 'deadline' });
  });

  it('gives equal texts equal vectors, as numbers or base64', async () => {
    const handle = await open({ dimensions: 3 });
    const { outputs } = await call(handle, { model: 'any', input: ['a', 'b', 'a'] });
    const [first, second, third] = (outputs as unknown as { embeddings: number[][] }).embeddings;
    expect(first).to.deep.equal(third).and.to.not.deep.equal(second);
    const sealed = await call(handle, { model: 'any', input: [1, 2], encoding_format: 'base64' });
    const [text = ''] = (sealed.outputs as unknown as { embeddings: string[] }).embeddings;
    expect(Buffer.from(text, 'base64')).to.have.length(12);
  });
});
