import { expect } from 'chai';
import { defineCapability, defineProvider, ProviderError } from '../../../kernel/adapter.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { recordOrb } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';
const orbiset = { id: 'kept', tenant: 'default', orbs: ['*'], retention_days: { inputs: 1, outputs: 1 } };

describe('an adapter that changes its inputs, and what it answered', () => {
  let platform: TestPlatform;
  let given: unknown[];

  beforeEach(async () => {
    given = [];
    const careless = defineProvider({
      ...{ name: 'careless', capability: defineCapability({ name: 'record', title: 'Record' }) },
      config: { type: 'object', additionalProperties: false, properties: { name: { type: 'string' } } },
      open: ({ config: { name = '' } }) => ({
        async execute(inputs) {
          given.push({ name, ...inputs });
          const own = inputs as Record<string, unknown>;
          own['token'] = 'changed';
          if (name === 'a') throw new ProviderError('not_sent', 'connection refused', { phase: 'open' });
          const outputs: Record<string, unknown> = { token: 'y', by: name, opening: 1 };
          setImmediate(() => (outputs['token'] = 'changed'));
          return outputs;
        },
      }),
    });
    const provider = (name: string) => ({ adapter: 'record/careless', config: { name } });
    platform = await startPlatform({
      platform: { providers: { a: provider('a'), b: provider('b') }, bindings: { [orb]: ['a', 'b'] } },
      data: { [`orbs/${orb}.json`]: recordOrb(), 'orbisets/kept.json': orbiset },
      adapters: [careless],
    });
  });
  afterEach(() => platform.stop());

  it('changes neither what the next provider is given, nor the answer, nor what the receipt commits to', async () => {
    const asked = { orb_id: orb, inputs: { token: 'x' } };
    const { status, body } = await platform.call('POST', '/orbisets/kept/execute', asked);
    expect([status, given]).to.deep.equal([
      200,
      [
        { name: 'a', token: 'x' },
        { name: 'b', token: 'x' },
      ],
    ]);
    const path = `/receipts/${String(body.receipt?.receipt_id)}?disclose=inputs,outputs`;
    const { disclosed } = (await platform.call('GET', path)).body;
    expect(disclosed).to.have.nested.property('inputs.value').that.deep.equals({ token: 'x' });
    expect(disclosed).to.have.nested.property('outputs.value').that.deep.equals(body.outputs);
    expect(body.outputs).to.have.property('token', 'y');
  });
});
