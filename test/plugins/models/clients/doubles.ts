import { expect } from 'chai';
import * as ofAnthropic from '../../../providers/llm/vendors/anthropic.ts';
import { startDouble, type ModelDouble } from '../../../providers/llm/vendors/double.ts';
import * as ofOpenai from '../../../providers/llm/vendors/openai.ts';
import type { Ask, StockClient, Told } from './client.ts';

const { completion, outputs } = ofOpenai;
const { message } = ofAnthropic;

/** The doubles, with what their vendors document of failures. */
const vendors = {
  openai: {
    contract: ofOpenai.openaiContract,
    key: ofOpenai.key,
    usage: [completion.usage.prompt_tokens, completion.usage.completion_tokens],
    outputs,
    failure: (type: string, code: string) => ({ error: { message: 'no', type, param: null, code } }),
    failures: [
      ['rejected', 400, 'invalid_request_error', 'context_length_exceeded'],
      ['forbidden', 403, 'invalid_request_error', 'unsupported_country'],
      ['missing', 404, 'invalid_request_error', 'model_not_found'],
      ['spent', 429, 'insufficient_quota', 'insufficient_quota'],
      ['unavailable', 503, 'service_unavailable_error', 'server_is_overloaded'],
    ],
  },
  anthropic: {
    contract: ofAnthropic.anthropicContract,
    key: ofAnthropic.key,
    usage: [message.usage.input_tokens, message.usage.output_tokens],
    outputs: ofAnthropic.outputs,
    failure: (type: string, error_code: string) => ({
      ...{ type: 'error', request_id: 'req_1' },
      error: { type, message: 'no', details: { error_code } },
    }),
    failures: [
      ['rejected', 400, 'invalid_request_error', 'invalid'],
      ['forbidden', 403, 'permission_error', 'denied'],
      ['missing', 404, 'not_found_error', 'no_model'],
      ['spent', 429, 'rate_limit_error', 'too_many_requests'],
      ['unavailable', 529, 'overloaded_error', 'overloaded'],
    ],
  },
} as const;

/** Declares that the SDK of a vendor takes the double of it for the vendor. */
export function judgesDouble(client: StockClient): void {
  const { contract, failure, failures, key, outputs: answered, usage } = vendors[client.door];
  describe(`the double of ${client.door}, judged by ${client.name}`, function () {
    let double: ModelDouble;
    const ask = (more: Partial<Ask> = {}): Promise<Told> => {
      const plain = { stream: false, retries: 0, tools: [], leaves: false };
      const whole = { url: double.url, key, model: 'm', question: 'hi', ...plain, ...more };
      return client.ask(whole, new AbortController().signal);
    };
    before(async () => {
      double = await startDouble(contract);
    });
    afterEach(() => Object.assign(double.manners, { fault: undefined, cut: undefined }));
    after(async () => {
      await double.close();
    });

    for (const stream of [false, true])
      it(`answers ${stream ? 'in a stream' : 'whole'}`, async () => {
        const told = await ask({ stream });
        const calls = answered.tool_calls.map(({ arguments_text, ...call }) => ({
          ...{ ...call, arguments: JSON.parse(arguments_text) as unknown },
        }));
        expect(told).to.deep.include({ text: answered.content, calls, usage, error: null });
        expect(told.finish).to.equal(client.finishes.calls);
        expect(told.pieces.join('')).to.equal(stream ? answered.content : '');
      });

    it('refuses a wrong key', async () => {
      expect((await ask({ key: 'sk-other' })).error).to.include({ type: client.errors.unauthenticated, status: 401 });
    });

    it('fails as the vendor does', async () => {
      for (const [name, status, type, code] of failures) {
        double.manners.fault = { status, body: failure(type, code) };
        const { error } = await ask();
        expect(error, name).to.deep.equal({ type: client.errors[name], status, code });
      }
    });

    it('breaks a stream off', async () => {
      double.manners.cut = { at: 900, how: 'reset' };
      expect((await ask({ stream: true })).error).to.not.equal(null);
    });
  });
}
