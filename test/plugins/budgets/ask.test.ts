import { expect } from 'chai';
import { boundOfChat, boundOfEmbedding, hasAudio } from '../../../plugins/budgets/ask.ts';

const user = (content: unknown) => ({ role: 'user', content });
// 4 bytes of the role and 16 of the message.
const empty = 20;

describe('the bound of the tokens of a call', () => {
  it('is the bytes of the texts, whatever their script, and 16 for each message', () => {
    const inputs = {
      model: 'fast',
      messages: [user('Grüße 👋'), user([{ type: 'text', text: 'abc' }])],
      max_output_tokens: 7,
    };
    // The part counts its type too.
    const bytes = Buffer.byteLength('Grüße 👋') + Buffer.byteLength('textabc');
    expect(boundOfChat(inputs, {})).to.deep.equal({ input: bytes + 2 * empty, output: 7 });
  });

  it('counts calls of tools, their definitions and the schema of the answer', () => {
    const call = { id: 'c1', name: 'find', arguments_text: '{"q":1}' };
    const tools = [{ name: 'find', description: 'd', input_schema: { type: 'object' } }];
    const format = { json_schema: { name: 'n', schema: { type: 'object' } } };
    const plain = { messages: [{ role: 'assistant', content: '', tool_calls: [call] }], max_output_tokens: 1 };
    const first = boundOfChat(plain, {})?.input ?? 0;
    expect(first).to.equal('assistant'.length + 16 + 'c1find{"q":1}'.length);
    const more = boundOfChat({ ...plain, tools, response_format: format }, {})?.input ?? 0;
    expect(more - first).to.equal(JSON.stringify(tools).length + JSON.stringify(format).length);
  });

  it('takes the output of the call before the one of the alias, and needs one of them', () => {
    const messages = [user('')];
    const of = (max_output_tokens: number | undefined, usual?: number) =>
      boundOfChat({ messages, max_output_tokens }, usual === undefined ? {} : { max_output_tokens: usual })?.output;
    expect([of(5, 9), of(undefined, 9), of(undefined)]).to.deep.equal([5, 9, undefined]);
  });

  it('counts an image as the alias says, and bounds none without that, nor documents and audio', () => {
    const bound = (type: string, image_tokens?: number) =>
      boundOfChat(
        { messages: [user([{ type, media_type: 'x', data_base64: 'A'.repeat(9999) }])], max_output_tokens: 1 },
        image_tokens === undefined ? {} : { image_tokens },
      )?.input;
    expect([bound('image', 1500), bound('image')]).to.deep.equal([empty + 1500, undefined]);
    expect([bound('document', 1500), bound('audio', 1500)]).to.deep.equal([undefined, undefined]);
  });

  it('of an embedding is the bytes of its texts, or its tokens', () => {
    const inputs = (input: unknown) => boundOfEmbedding({ input });
    expect(inputs('abc')).to.deep.equal({ input: 19, output: 0 });
    expect(inputs(['abc', 'é'])).to.deep.equal({ input: 19 + 18, output: 0 });
    expect(inputs([1, 2, 3])).to.deep.equal({ input: 3, output: 0 });
    expect(inputs([[1, 2], [3]])).to.deep.equal({ input: 18 + 17, output: 0 });
  });

  it('says whether there is audio', () => {
    expect(hasAudio({ messages: [user([{ type: 'audio', format: 'wav', data_base64: '' }])] })).to.equal(true);
    expect(hasAudio({ messages: [user('audio'), user([{ type: 'text', text: 'audio' }])] })).to.equal(false);
  });
});
