import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { llm } from '../../../../providers/llm/contract.ts';

const asking = (url: unknown): object => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'https://text.example' },
        { type: 'image', url },
      ],
    },
  ],
});
const parsed = (inputs: object): unknown => llm.parse?.({ ...inputs });

describe('the images of a call of a model', () => {
  it('are shown to policies by the address from which the vendor fetches them', () => {
    const image = { scheme: 'https', host: 'a.example', port: 8443, origin: 'https://a.example:8443', path: '/b?c' };
    const inputs = asking('https://A.example:8443/b?c#d');
    expect(parsed(inputs)).to.deep.equal({ images: [image] });
    expect(parsed({ model: 'm', prompt: inputs }), 'of a count').to.deep.equal({ images: [image] });
  });

  for (const url of [
    'https://a@b.example/',
    'https://b.example\\@a.example/',
    'https://0x7f.1/',
    'https://b.example./',
  ])
    it(`are refused when two readers may see two hosts: ${url}`, () =>
      expect(() => parsed(asking(url)))
        .to.throw(ProviderError)
        .and.include({ outcome: 'rejected' }));

  it('are none of a call that has none, whatever its form', () => {
    for (const inputs of [{}, { input: ['a'] }, { messages: 'a' }, { messages: [null, 'a', { content: null }] }])
      expect(parsed(inputs)).to.deep.equal({ images: [] });
    expect(parsed(asking(7))).to.deep.equal({ images: [] });
  });
});
