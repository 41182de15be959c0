import { expect } from 'chai';
import { definePlugin, type AccessRequest } from '../../../kernel/index.ts';
import { chatOrb } from '../../../plugins/models/scope.ts';
import { said, startBed, usage, type Bed } from './bed.ts';

const providers = {
  first: { adapter: 'llm/script', config: { models: { fast: { name: 'vendor-fast' }, embed: {} } } },
  other: { adapter: 'llm/script', config: { models: { slow: {} } } },
  last: { adapter: 'llm/script' },
};
const candidates = [
  { provider: 'first', model: 'vendor-fast' },
  { provider: 'last', model: 'fast' },
];
const tool = { name: 'look', input_schema: { type: 'object' } };
const text = 'a canary prompt';
const chat = { model: 'fast', messages: [{ role: 'user', content: text }] };
const plain = {
  ...{ alias: 'fast', candidates, stream: false, messages: 1, images: 0, documents: 0, audio: 0 },
  findings: { platform_key: 0, private_key: 0, aws_key: 0, jwt: 0, card_number: 0 },
  ...{ tools: [], tool_choice: 'none', response_format: 'text', input_bytes: 'user'.length + text.length },
};

describe('what policies see of a call of a model', () => {
  let bed: Bed;
  before(async () => void (bed = await startBed({ platform: { providers } })));
  beforeEach(() => bed.answer(async () => said('hello')));
  after(async () => bed.platform.stop());

  const decisionOf = async (receiptId: string) => {
    const { body } = await bed.platform.call('GET', `/receipts/${receiptId}`);
    const { decision_id } = body.statement.predicate.facts.policy;
    return (await bed.platform.call('GET', `/policies/-/decisions/${decision_id}`)).body;
  };
  const seen = async (path: string, body: object) => {
    const answer = await bed.post(path, body);
    expect(answer.status, answer.text).to.equal(200);
    const found = /"receipt_id":"(rec_\w+)"/.exec(answer.text)?.[1] ?? '';
    const { allow, input } = await decisionOf(found);
    expect(allow).to.equal(true);
    return input.context;
  };

  const rows: readonly (readonly [title: string, path: string, body: object, expected: object])[] = [
    ['a chat completion', '/v1/chat/completions', chat, { ...plain, door: 'openai/chat' }],
    [
      'a stream with tools',
      '/v1/chat/completions',
      {
        ...{ ...chat, stream: true, max_tokens: 7, reasoning_effort: 'low', response_format: { type: 'json_object' } },
        tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
        tool_choice: { type: 'function', function: { name: 'look' } },
      },
      {
        ...{ ...plain, door: 'openai/chat', stream: true, tools: ['look'], tool_choice: 'tool:look' },
        ...{ max_output_tokens: 7, reasoning_effort: 'low', response_format: 'json' },
        input_bytes: plain.input_bytes + 'look'.length + 'object'.length + 'json'.length,
      },
    ],
    [
      'a message with an image',
      '/v1/messages',
      {
        ...{ model: 'fast', max_tokens: 9, tools: [tool] },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              { type: 'text', text },
            ],
          },
        ],
      },
      {
        ...{ ...plain, door: 'anthropic/messages', images: 1, max_output_tokens: 9, tools: ['look'] },
        tool_choice: 'auto',
        input_bytes:
          plain.input_bytes + 'image'.length + 'image/png'.length + 'text'.length + 'look'.length + 'object'.length,
      },
    ],
    [
      'a run as any other',
      '/orbisets/default/execute',
      { orb_id: chatOrb, inputs: chat },
      { ...plain, door: 'execute' },
    ],
  ];
  for (const [title, path, body, expected] of rows)
    it(`is its door, candidates, sizes and tools: ${title}`, async () => {
      expect((await seen(path, body)).llm).to.deep.include(expected);
    });

  it('is the conversation whose tokens are counted', async () => {
    bed.answer(async () => ({ model: 'v', input_tokens: 1 }));
    const context = await seen('/v1/messages/count_tokens', { ...chat, tools: [tool] });
    const input_bytes = plain.input_bytes + 'look'.length + 'object'.length;
    expect(context.llm).to.deep.equal({
      ...{ ...plain, door: 'anthropic/count_tokens', tools: ['look'], tool_choice: 'auto', input_bytes },
    });
  });

  it('is its texts of an embedding', async () => {
    bed.answer(async () => ({ model: 'v', embeddings: [[1], [2]], usage: { input_tokens: 2, source: usage.source } }));
    const { llm } = await seen('/v1/embeddings', { model: 'embed', input: ['ab', 'c'] });
    expect(llm).to.deep.include({ door: 'openai/embeddings', alias: 'embed', messages: 2, input_bytes: 3, tools: [] });
    expect(llm.candidates[0]).to.deep.equal({ provider: 'first', model: 'embed' });
  });

  it('is how many secrets its texts hold, and nothing of them', async () => {
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    const messages = [
      ...chat.messages,
      { role: 'user', content: `${'x'.repeat(5000)} ${secret} ${bed.platform.adminKey}` },
    ];
    const context = await seen('/v1/chat/completions', { ...chat, messages });
    expect(context.llm.findings).to.deep.equal({ ...plain.findings, aws_key: 1, platform_key: 1 });
    expect(JSON.stringify(context)).not.to.contain(secret);
  });

  it('is all that a failover reaches', async () => {
    const before = bed.calls.length;
    bed.answer(async () => {
      throw new Error('away');
    });
    const { body } = await bed.post('/v1/chat/completions', chat);
    const { receipt_id } = body.error.orb.receipt;
    const { facts } = (await bed.platform.call('GET', `/receipts/${receipt_id}`)).body.statement.predicate;
    // The second one has no such model, and asks no vendor.
    const attempts = facts.attempts.map(({ provider, outcome }: Record<string, string>) => `${provider} ${outcome}`);
    expect(attempts).to.deep.equal(['first unknown', 'other provider_fault', 'last unknown']);
    expect(bed.calls.length).to.equal(before + 2);
    expect((await decisionOf(receipt_id)).input.context.llm.candidates).to.deep.equal(candidates);
  });

  it('is not in the log of decisions as a prompt, and not at all of other runs', async () => {
    const context = await seen('/v1/chat/completions', chat);
    expect(JSON.stringify(context)).not.to.contain('canary');
    const preview = { orb_id: chatOrb, inputs: chat };
    const { body } = await bed.platform.call('POST', '/orbisets/default/preview', preview);
    expect(body).to.include({ decision: 'allow' });
    expect(body.described.llm).to.deep.include({ ...plain, door: 'execute' });
    expect(body.described.spend).to.deep.equal({ budgets: [] });
    // The log holds no inputs, parsed ones neither.
    const whole = { ...context, inputs: {}, parsed: {} };
    const dry = { action: 'execute', input: { ...(await smoke()), context: whole } };
    const { input_faults } = (await bed.platform.call('POST', '/dry-run', dry)).body;
    expect(input_faults).to.deep.equal([]);
  });

  async function smoke(): Promise<object> {
    const { body } = await bed.platform.call('GET', '/policies/-/decisions?limit=1');
    const { input } = (await bed.platform.call('GET', `/policies/-/decisions/${body.decisions[0].decision_id}`)).body;
    return { subject: input.subject, resource: input.resource };
  }
});

describe('a policy on calls of models', () => {
  let bed: Bed;
  let denies: (context: AccessRequest['context']) => boolean;
  const asked: AccessRequest['context'][] = [];
  const decider = definePlugin({
    name: 'decider',
    start({ hooks }) {
      hooks.authorize.tap('decider', ({ context }) => {
        asked.push(context);
        const rest = { decision_id: String(context['decision_id']), policies: ['models'], warns: 0, shadow_denies: 0 };
        return denies(context)
          ? { allow: false, ...rest, reasons: [{ code: 'policy_denied', policy: 'models', message: 'not this model' }] }
          : { allow: true, ...rest };
      });
      return {};
    },
  });
  before(async () => {
    const budgets = [{ scope: 'key', per: 'day', tokens: 1_000_000 }];
    const plugins = { budgets: { config: { budgets } } };
    bed = await startBed({ plugins: [decider], platform: { providers, plugins, authorize: 'decider' } });
  });
  after(async () => bed.platform.stop());

  const llm = (context: AccessRequest['context']) => context['llm'] as Readonly<Record<string, unknown>>;
  const rules: readonly (readonly [name: string, denies: typeof denies])[] = [
    ['model', (context) => llm(context)['alias'] === 'fast'],
    ['candidate', (context) => JSON.stringify(llm(context)['candidates']).includes('"last"')],
    ['tool', (context) => (llm(context)['tools'] as unknown[]).length === 0],
    ['secret', (context) => (llm(context)['findings'] as { aws_key: number }).aws_key === 1],
    ['spend', (context) => (context['spend'] as { budgets: { limit: number }[] }).budgets[0]?.limit === 1_000_000],
    ['size', (context) => Number(llm(context)['input_bytes']) > 10],
  ];
  const secret = { ...chat, messages: [{ role: 'user', content: 'AKIAIOSFODNN7EXAMPLE' }] };
  const doors = [
    ['/v1/chat/completions', secret, ({ error }: Body) => [error.type, error.code, error.orb]],
    ['/v1/chat/completions', { ...secret, stream: true }, ({ error }: Body) => [error.type, error.code, error.orb]],
    [
      '/v1/messages',
      { ...secret, max_tokens: 5 },
      ({ error }: Body) => [error.type, error.details.error_code, error.orb],
    ],
  ] as const;
  interface Body {
    readonly error: Readonly<Record<string, unknown>> & { readonly details: { readonly error_code: string } };
  }
  for (const [name, rule] of rules)
    for (const [path, body, read] of doors)
      it(`denies a ${name} at ${path}: no provider is asked, and the denial has a receipt`, async () => {
        denies = rule;
        const before = bed.calls.length;
        // Of each key only some denials are decided; the scope `*` is no exception to a policy.
        const key = await bed.platform.key({ name: 'one', scopes: ['*'] });
        const answer = await bed.post(path, body, { key });
        expect(answer.status, answer.text).to.equal(403);
        const [type, code, orb] = read(answer.body as Body) as [string, string, { receipt: { receipt_id: string } }];
        expect([type, code]).to.deep.equal([
          path === '/v1/messages' ? 'permission_error' : 'invalid_request_error',
          'access_denied',
        ]);
        expect(bed.calls.length).to.equal(before);
        const receipt = (await bed.platform.call('GET', `/receipts/${orb.receipt.receipt_id}`)).body;
        expect(receipt.signature_valid).to.equal(true);
        expect(receipt.statement.predicate.facts).to.deep.include({ outcome: 'denied', attempts: [] });
      });

  it('sees texts of prompts above 4 KiB by their size alone', async () => {
    denies = () => false;
    bed.answer(async () => said('hello'));
    const messages = [
      { role: 'user', content: 'é'.repeat(2049) },
      { role: 'user', content: 'x'.repeat(4096) },
    ];
    expect((await bed.post('/v1/chat/completions', { ...chat, max_tokens: 5, messages })).status).to.equal(200);
    expect((asked.at(-1)?.['inputs'] as { messages: object }).messages).to.deep.equal([
      { role: 'user', content: { $omitted_bytes: 4098 } },
      messages[1],
    ]);
    expect(bed.calls.at(-1)?.['messages']).to.deep.equal(messages);
  });
});
