import { expect } from 'chai';
import { allowing, startTarget, type RawTarget } from '../../providers/http/bed.ts';
import { mcpClient } from '../mcp/client.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';

const rego = `package orb.policies.blocked

deny contains "blocked address" if {
	input.action.name == "execute"
	some field in ["to", "cc", "bcc", "reply_to"]
	some mailbox in input.context.parsed[field]
	mailbox.domain == "blocked.example"
}

deny contains "blocked sender" if input.context.parsed.from_address.domain == "blocked.example"

deny contains "blocked host" if input.context.parsed.url.host == "localhost"

deny contains "blocked path" if input.context.parsed.url.segments[0] == "admin"

deny contains "blocked query" if {
	some pair in input.context.parsed.url.query
	pair == {"name": "role", "value": "admin"}
}

deny contains "blocked header" if input.context.parsed.headers["x-role"] == "admin"

deny contains "blocked body" if contains(input.context.parsed.body, "secret")

deny contains "blocked push service" if input.context.parsed.to.host == "blocked.push.apple.com"

deny contains "blocked page" if input.context.parsed.url.host == "blocked.example"

deny contains "blocked link" if "blocked.example" in input.context.parsed.text.hosts

deny contains "blocked image" if {
	some image in input.context.parsed.images
	image.host == "blocked.example"
}

deny contains "blocked type" if {
	some attachment in input.context.parsed.attachments
	attachment.content_type == "application/x-sh"
}
`;

describe('policies see inputs as their provider uses them', () => {
  let home: PolicyHome;
  let target: RawTarget;
  before(async function () {
    compilerOrSkip(this);
    target = await startTarget();
    const config = allowing(target);
    home = await startPolicyHome(
      { 'blocked.rego': rego },
      {
        platform: {
          providers: {
            outbox: { adapter: 'email/outbox' },
            push: { adapter: 'push/outbox' },
            chat: { adapter: 'chat/outbox' },
            model: { adapter: 'llm/canned' },
            web: { adapter: 'http/client', config },
          },
        },
      },
    );
    await home.until('the file is in force', ({ policies }) => policies === 4);
  });
  // Of each key only some denials per second are decided.
  let key = '';
  beforeEach(async () => (key = await home.platform.key({ name: 'one', scopes: ['*'] })));
  after(async () => {
    await home?.platform.stop();
    await target?.close();
  });

  const execute = async (orb_id: string, inputs: object): Promise<string> => {
    const { body } = await home.platform.call('POST', '/orbisets/default/execute', { orb_id, inputs }, key);
    return body.code ?? 'completed';
  };
  const good = { to: 'ada@example.org', from_address: 'orb@example.com', subject: 'Hi', body: 'Hello' };
  const mail = (more: object): Promise<string> => execute('notify.email@1.0.0', { ...good, ...more });

  const spellings = [
    'bob@blocked.example',
    'bob@BLOCKED.example',
    'bob@ｂｌｏｃｋｅｄ.example',
    '<bob@blocked.example>',
    'Bob <bob@blocked.example>',
    '"bob@fine.example" <bob@blocked.example>',
    'bob@blocked.example ',
    'ada@example.org, bob@blocked.example',
  ];
  for (const field of ['to', 'cc', 'bcc', 'reply_to', 'from_address'])
    it(`deny an address in ${field}, however it is written`, async () => {
      for (const text of spellings.slice(0, field === 'from_address' ? -1 : undefined))
        expect(await mail({ [field]: text }), text).to.equal('access_denied');
      expect(await mail({ [field]: 'bob@fine.example' })).to.equal('completed');
    });

  it('deny an address in a tool call of MCP, however it is written', async () => {
    const client = mcpClient(home.platform);
    for (const to of spellings) {
      const params = { name: 'notify_email', arguments: { ...good, to } };
      const { body } = await client.ask('tools/call', params, { key });
      expect(JSON.stringify(body.result), to).to.contain('access_denied');
    }
  });

  const urls: [why: string, url: (port: number) => string, says: string][] = [
    ['a host in capitals', (port) => `http://LOCALHOST:${port}/`, 'access_denied'],
    ['a path with a needless escape', (port) => `http://127.0.0.1:${port}/%61dmin/x`, 'access_denied'],
    ['a path with another escape', (port) => `http://127.0.0.1:${port}/x/%2E%2e/%61%64min`, 'access_denied'],
    ['an escaped query', (port) => `http://127.0.0.1:${port}/?r%6Fle=%61dmin`, 'access_denied'],
    ['a host with a dot at its end', (port) => `http://127.0.0.1.:${port}/`, 'provider_rejected'],
    ['an escape in pieces', (port) => `http://127.0.0.1:${port}/%%361dmin`, 'provider_rejected'],
    ['no admin', (port) => `http://127.0.0.1:${port}/administrator?role=user`, 'completed'],
  ];
  for (const [why, url, says] of urls)
    it(`decide on the URL that is sent: ${why}`, async () => {
      expect(await execute('http.send@1.0.0', { url: url(target.port), method: 'POST' })).to.equal(says);
    });

  it('decide on the headers and the body that are sent', async () => {
    const send = (more: object): Promise<string> =>
      execute('http.send@1.0.0', { url: target.url, method: 'POST', ...more });
    for (const headers of [{ 'X-Role': 'admin' }, { 'x-ROLE': ' admin ' }])
      expect(await send({ headers })).to.equal('access_denied');
    const body = Buffer.from('a secret').toString('base64');
    expect(await send({ body, encoding: 'base64' })).to.equal('access_denied');
    expect(await send({ headers: { 'x-role': 'user' }, json: {} })).to.equal('completed');
  });

  it('decide on the type of an attachment in lower case', async () => {
    const attachment = { filename: 'a.sh', content_type: 'Application/X-SH', content_base64: 'YQ==' };
    expect(await mail({ attachments: [attachment] })).to.equal('access_denied');
  });

  it('decide on the host of a push service in lower case, and see no endpoint', async () => {
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) };
    const send = (host: string): Promise<string> =>
      execute('notify.push@1.0.0', {
        ...{ title: 'Hi', body: 'Hello' },
        to: { subscription: { endpoint: `https://${host}/secret`, keys } },
      });
    expect(await send('BLOCKED.push.Apple.com')).to.equal('access_denied');
    expect(await send('web.push.apple.com')).to.equal('completed');
    for (const other of ['user@web.push.apple.com', 'blocked.push.apple.com.'])
      expect(await send(other), other).to.equal('provider_rejected');
    const { body } = await home.platform.call('GET', '/policies/-/decisions?limit=3');
    for (const { decision_id } of body.decisions) {
      const { body: decision } = await home.platform.call('GET', `/policies/-/decisions/${decision_id}`);
      expect(JSON.stringify(decision)).to.not.contain('/secret');
    }
  });

  it('deny a page that a push message opens, and a link in a chat message, however they are written', async () => {
    const push = { title: 'Hi', body: 'Hello', to: { topic: 'alerts' } };
    for (const url of ['https://BLOCKED.example/', 'https://fine.example@blocked.example', 'https://blocked.example./'])
      expect(await execute('notify.push@1.0.0', { ...push, url }), url).to.equal('access_denied');
    expect(await execute('notify.push@1.0.0', { ...push, url: 'https://fine.example/' })).to.equal('completed');
    const chat = (more: object): Promise<string> =>
      execute('notify.chat@1.0.0', { channel: 'ops', text: 'Hello', ...more });
    for (const text of ['https://blocked.example, see', 'see https://blocked.example.', '**https://blocked.example**'])
      expect(await chat({ text, format: 'markdown' }), text).to.equal('access_denied');
    expect(await chat({ title: 'https://blocked.example/' })).to.equal('access_denied');
    expect(await chat({ text: 'https://fine.example, see' })).to.equal('completed');
  });

  it('deny the host of an image that a model is to see, however it is written', async () => {
    const ask = (url: string): Promise<string> => {
      const content = [
        { type: 'text', text: 'What is it?' },
        { type: 'image', url },
      ];
      return execute('llm.chat@1.0.0', { model: 'canned', messages: [{ role: 'user', content }] });
    };
    for (const host of ['blocked.example', 'BLOCKED.example', 'blocked.example:8443'])
      expect(await ask(`https://${host}/a.png`), host).to.equal('access_denied');
    for (const host of ['fine.example@blocked.example', 'blocked.example.', 'blocked.example\\@fine.example'])
      expect(await ask(`https://${host}/a.png`), host).to.equal('provider_rejected');
    expect(await ask('https://fine.example/a.png')).to.equal('completed');
  });

  it('send the path that was decided on', async () => {
    const url = `${target.url}/%7Euser/a%2fb/%C3%A4?x=%7E`;
    expect(await execute('http.send@1.0.0', { url, method: 'POST' })).to.equal('completed');
    expect(target.requests.at(-1)?.lines[0]).to.equal('POST /~user/a%2Fb/%C3%A4?x=%7E HTTP/1.1');
  });

  for (const [field, text] of [
    ['to', '=?utf-8?q?bob=40blocked.example=3E?=@example.org'],
    ['subject', '=?utf-8?Q?=69nvoice?='],
  ] as const)
    it(`refuse an encoded word in ${field}`, async () => {
      expect(await mail({ [field]: text })).to.equal('provider_rejected');
    });

  it('keep no parsed input in the log of decisions, and replay without it', async () => {
    await mail({ to: 'replayed@example.org' });
    const { body } = await home.platform.call('GET', '/policies/-/decisions?limit=1');
    const [{ decision_id }] = body.decisions;
    const { body: decision } = await home.platform.call('GET', `/policies/-/decisions/${decision_id}`);
    expect(JSON.stringify(decision)).to.not.contain('replayed');
    const { body: replay } = await home.platform.call('POST', '/policies/-/replay', { last: 1 });
    expect(replay.counts).to.include({ undecidable: 1, not_replayable: 0 });
  });

  it('say in a preview what is refused', async () => {
    const inputs = { ...good, to: 'nobody' };
    const answer = await home.platform.call('POST', '/orbisets/default/preview', {
      orb_id: 'notify.email@1.0.0',
      inputs,
    });
    expect([answer.status, answer.body.code]).to.deep.equal([422, 'invalid_inputs']);
  });
});
