import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';
import { expect } from 'chai';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { guideBlocks } from '../helpers/guide.ts';
import { need } from '../helpers/needs.ts';
import { pythonCommand } from '../helpers/python.ts';
import { said, startBed, usage, type Bed } from '../plugins/models/bed.ts';
import { beginWalk, headingsOf, type Walk } from './walk.ts';

const guide = 'plugins/docs/pages/call/model-clients.md';
const counted = usage.input_tokens + usage.output_tokens;
const receipt = /rec_[0-9A-Z]{26}/;

/** What is printed under a heading. */
const says: Readonly<Record<string, RegExp>> = {
  'Create a key for models': /^fast\b/m,
  'OpenAI for JavaScript': new RegExp(`^hello\n${receipt.source}$`, 'm'),
  'OpenAI for Python': new RegExp(`^hello ${receipt.source}$`, 'm'),
  'Anthropic for JavaScript': new RegExp(`^hello ${usage.output_tokens}$`, 'm'),
  'Anthropic for Python': new RegExp(`^hello ${usage.output_tokens}$`, 'm'),
  'AI SDK': new RegExp(`^hello ${counted}$`, 'm'),
  LangChain: new RegExp(`^hello ${counted}$`, 'm'),
};

interface OpenCode {
  readonly provider: Readonly<
    Record<string, { readonly npm: string; readonly options: { readonly baseURL: string; readonly apiKey: string } }>
  >;
}

describe('the guide to clients of models', function () {
  this.timeout(60_000);
  let bed: Bed;
  let walk: Walk;
  before(async () => {
    bed = await startBed({
      platform: { providers: { vendor: { adapter: 'llm/script', config: { models: { fast: {} } } } } },
    });
    bed.answer(async (_, { emit }) => {
      for (const text of ['hel', 'lo']) await emit?.({ type: 'text', text });
      return said('hello');
    });
    const { home, url } = bed.platform;
    // The packages that a reader installs.
    symlinkSync(join(packageDir, 'node_modules'), join(home, 'node_modules'));
    walk = beginWalk(guide, { home, url });
    await walk.type(`export PATH="${dirname(pythonCommand('python'))}:$PATH"`);
  });
  after(async () => {
    walk?.end();
    await bed?.platform.stop();
  });

  const inOrder = headingsOf(guide).filter((heading) => heading !== 'OpenCode');
  for (const heading of inOrder)
    it(`does what it says under "${heading}"`, async function () {
      if (heading.endsWith('Python')) need(this, 'python');
      expect(await walk.follow(heading)).to.match(says[heading] ?? /^$/);
    });

  it('sets variables by which Claude Code gets an answer to what it sends', async () => {
    const body = {
      ...{ model: 'fast', max_tokens: 100, stream: true, temperature: 1, metadata: { user_id: 'u' } },
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      tools: [{ name: 'Bash', description: 'Runs a command', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }],
    };
    const { stdout } = await walk.type(
      `curl -sS "$ANTHROPIC_BASE_URL/v1/messages?beta=true" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \
        -H 'anthropic-version: 2023-06-01' -H 'anthropic-beta: claude-code-20250219,other-2030-01-01' \
        -H 'content-type: application/json' -d '${JSON.stringify(body)}'; echo "$ANTHROPIC_MODEL"`,
    );
    expect(stdout).to.match(/event: message_stop[^]*\nfast\n$/);
  });

  it('has a file for OpenCode by which its package gets an answer', async () => {
    const block = guideBlocks(guide).find(({ file }) => file === 'opencode.json');
    const { orb } = (JSON.parse(block?.code ?? '') as OpenCode).provider;
    expect(orb?.npm).to.equal('@ai-sdk/openai-compatible');
    expect(orb?.options).to.deep.equal({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: '{env:ORB_KEY}' });
    const { adminKey: apiKey, url } = bed.platform;
    const baseURL = orb?.options.baseURL.replace('http://127.0.0.1:8080', url) ?? '';
    const model = createOpenAICompatible({ name: 'orb', baseURL, apiKey })('fast');
    expect((await generateText({ model, prompt: 'hi' })).text).to.equal('hello');
  });
});
