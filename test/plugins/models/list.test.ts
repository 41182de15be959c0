import { expect } from 'chai';
import { send } from '../../helpers/http.ts';
import { startBed, type Bed } from './bed.ts';

const anthropic = { 'anthropic-version': '2026-10-21' };

describe('the models of a key', () => {
  let bed: Bed;
  let ask: (path: string, headers?: Readonly<Record<string, string>>, key?: string) => ReturnType<typeof send>;
  before(async () => {
    const provider = (models: readonly string[]) => ({
      adapter: 'llm/script',
      config: { models: Object.fromEntries(models.map((name) => [name, {}])) },
    });
    const providers = { one: provider(['fast', 'smart']), two: provider(['fast', 'embed']) };
    const team = { id: 'team', tenant: 'default', orbs: ['llm.*'], providers: ['two'] };
    bed = await startBed({ platform: { providers }, data: { 'orbisets/team.json': team } });
    ask = (path, headers = {}, key = bed.platform.adminKey) => send(bed.platform.url, path, { headers, key });
  });
  after(async () => bed.platform.stop());

  const idsOf = ({ json }: Awaited<ReturnType<typeof send>>): readonly string[] =>
    (json['data'] as { readonly id: string }[]).map(({ id }) => id);

  it('are listed in the form of OpenAI', async () => {
    const { json } = await ask('/v1/models');
    expect(json['object']).to.equal('list');
    const [, fast] = json['data'] as { readonly created: number }[];
    expect(fast).to.deep.include({ id: 'fast', object: 'model', owned_by: 'one', orb: { providers: ['one', 'two'] } });
    expect(fast?.created).to.be.within(Date.now() / 1000 - 60, Date.now() / 1000);
  });

  it('are listed in the form of Anthropic, by pages', async () => {
    const first = await ask('/v1/models?limit=2', anthropic);
    expect(first.json).to.deep.include({ first_id: 'embed', last_id: 'fast', has_more: true });
    expect((first.json['data'] as object[])[0]).to.include({ type: 'model', id: 'embed', display_name: 'embed' });
    expect((first.json['data'] as object[])[1]).to.deep.include({ orb: { providers: ['one', 'two'] } });
    expect(idsOf(await ask('/v1/models?limit=2&after_id=fast', anthropic))).to.deep.equal(['smart']);
    expect(idsOf(await ask('/v1/models?limit=1&before_id=smart', anthropic))).to.deep.equal(['fast']);
  });

  it('are those of the providers of the Orbiset', async () => {
    expect(idsOf(await ask('/orbisets/team/v1/models'))).to.deep.equal(['embed', 'fast']);
    expect((await ask('/orbisets/nowhere/v1/models')).status).to.equal(404);
  });

  it('are none for a test key without a sandbox, and for a key of other Orbs', async () => {
    expect(
      idsOf(await ask('/v1/models', {}, await bed.platform.key({ scopes: ['orbs:execute'], mode: 'test' }))),
    ).to.deep.equal([]);
    expect(
      idsOf(await ask('/v1/models', {}, await bed.platform.key({ scopes: ['orbs:execute:demo.*'] }))),
    ).to.deep.equal([]);
  });

  it('are shown one by one', async () => {
    expect((await ask('/v1/models/smart')).json).to.include({ id: 'smart', owned_by: 'one' });
    expect((await ask('/orbisets/team/v1/models/fast', anthropic)).json).to.include({ id: 'fast', type: 'model' });
    const missing = await ask('/orbisets/team/v1/models/smart', anthropic);
    expect(missing.json).to.have.nested.property('error.type', 'not_found_error');
    expect(missing.status).to.equal(404);
  });

  it('are the only ones that can be asked, and no run begins for another', async () => {
    const messages = [{ role: 'user', content: 'hi' }];
    const chat = await bed.post('/v1/chat/completions', { model: 'gpt', messages });
    expect([chat.status, chat.body.error.code, chat.body.error.param]).to.deep.equal([404, 'model_not_found', 'model']);
    const count = await bed.post('/v1/messages/count_tokens', { model: 'gpt', messages });
    expect([count.status, count.body.error.type]).to.deep.equal([404, 'not_found_error']);
    expect((await bed.platform.call('GET', '/runs')).body.runs).to.deep.equal([]);
    expect((await bed.post('/v1/chat/completions', { model: 'smart', messages })).status).to.equal(200);
  });
});
