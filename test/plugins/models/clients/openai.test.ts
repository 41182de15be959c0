import { expect } from 'chai';
import type { APIError } from 'openai';
import OpenAI from 'openai';
import { startBed, type Bed } from '../bed.ts';
import { judgesDouble } from './doubles.ts';
import { openai } from './openai.ts';
import { worksUnchanged } from './table.ts';

worksUnchanged(openai);
judgesDouble(openai);

describe('npm openai', () => {
  let bed: Bed;
  before(async () => void (bed = await startBed()));
  after(async () => bed.platform.stop());

  it('is told the parameter that is not supported, and the request', async () => {
    const client = new OpenAI({ baseURL: `${bed.platform.url}/v1`, apiKey: bed.platform.adminKey, maxRetries: 0 });
    const asked = client.chat.completions.create({
      ...{ model: 'fast', logprobs: true, messages: [{ role: 'user', content: 'hi' }] },
    });
    const error: unknown = await asked.catch((caught: unknown) => caught);
    expect(error).to.include({ status: 400, code: 'unsupported_parameter', param: 'logprobs' });
    expect((error as APIError).requestID).to.match(/^req_/);
  });
});
