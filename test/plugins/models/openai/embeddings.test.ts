import { expect } from 'chai';
import { embeddingAnswer, embeddingRequest } from '../../../../plugins/models/openai/embeddings.ts';
import { Member } from '../../../../plugins/models/wire/member.ts';
import type { EmbedOutputs } from '../../../../providers/llm/contract.ts';
import { orb } from '../streams.ts';

const read = (body: object) => embeddingRequest(new Member({ model: 'm', ...body }));

describe('a request for embeddings', () => {
  for (const input of ['text', ['a', 'b'], [1, 2, 3], [[1, 2], [3]]])
    it(`takes ${JSON.stringify(input)}`, () => {
      expect(read({ input, user: 'u', dimensions: 4 }).inputs).to.deep.equal({ model: 'm', input, dimensions: 4 });
    });

  const refused: readonly (readonly [input: unknown, says: string])[] = [
    [undefined, 'input is missing'],
    [[], 'input must not be empty'],
    [['a', 1], 'input[1] must be of the same kind'],
    [[[1], 'a'], 'input[1] must be of the same kind'],
    [[1, [2]], 'input[1] must be of the same kind'],
    [[1.5], 'input[0] must be an integer'],
    [[-1], 'input[0] must be a token'],
    [[[1], ['a']], 'input[1][0] must be an integer'],
    [7, 'input must be an array'],
  ];
  for (const [input, says] of refused)
    it(`refuses ${JSON.stringify(input) ?? 'nothing'}`, () => {
      expect(() => read({ input })).to.throw(says);
    });

  it('refuses what the API does not know', () => {
    expect(() => read({ input: 'a', inputs: 'b' })).to.throw('inputs is unknown');
  });
});

describe('the answer of embeddings', () => {
  const outputs: EmbedOutputs = {
    ...{ model: 'v', embeddings: [[0, 1, -2.5]] },
    usage: { input_tokens: 3, source: 'vendor' },
  };

  it('has numbers, or the bytes of little-endian float32', () => {
    const answer = (encoding_format?: string) =>
      embeddingAnswer(outputs, read({ input: 'a', encoding_format }), orb).data.map(({ embedding }) => embedding);
    expect(answer()).to.deep.equal([[0, 1, -2.5]]);
    expect(answer('base64')).to.deep.equal([
      Buffer.from([0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0]).toString('base64'),
    ]);
  });

  it('turns bytes of a provider into numbers', () => {
    const bytes = { ...outputs, embeddings: ['AACAPwAAIMA='] };
    const of = (encoding_format: string) => embeddingAnswer(bytes, read({ input: 'a', encoding_format }), orb).data[0];
    expect([of('float')?.embedding, of('base64')?.embedding]).to.deep.equal([[1, -2.5], 'AACAPwAAIMA=']);
  });

  it('has usage only when it is known', () => {
    const request = read({ input: 'a' });
    expect(embeddingAnswer(outputs, request, orb)).to.deep.include({ usage: { prompt_tokens: 3, total_tokens: 3 } });
    expect(embeddingAnswer({ ...outputs, usage: { source: 'absent' } }, request, orb)).not.to.have.property('usage');
  });
});
