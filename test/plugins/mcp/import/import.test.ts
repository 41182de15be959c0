import { expect } from 'chai';
import { digestOf, httpProvider, startBed, type Bed } from '../../../providers/mcp/bed.ts';
import { echo, startFixture, type Fixture, type FixtureTool } from '../../../providers/mcp/fixture.ts';

const object = { type: 'object' };
const tool = (name: string, more: Partial<FixtureTool> = {}): FixtureTool => ({
  ...{ name, inputSchema: object, run: (given) => ({ content: [], structuredContent: given }) },
  ...more,
});
const draft07 = 'http://json-schema.org/draft-07/schema#';

interface Report {
  readonly tool: string;
  readonly change: string;
  readonly orb_id?: string;
  readonly effect?: string;
  readonly action_class?: string;
  readonly guard?: string;
  readonly tool_errors?: string;
  readonly why: string;
}

describe('orb mcp import', () => {
  let fixture: Fixture;
  let bed: Bed;

  async function start(tools: readonly FixtureTool[]): Promise<void> {
    fixture = await startFixture(tools);
    bed = await startBed({ fix: httpProvider(fixture.url) }, []);
  }
  afterEach(async () => {
    await bed.platform.stop();
    await fixture.close();
  });
  const importing = async (body: object = {}, key?: string) =>
    bed.platform.call('POST', '/providers/fix/import', body, key);
  const report = async (body: object = {}): Promise<readonly Report[]> => {
    const answer = await importing(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.tools;
  };
  const manifestOf = async (orb: string) => (await bed.platform.call('GET', `/orbs/${orb}`)).body.manifest;

  it('changes nothing until it is told to write, and then the Orb serves at once and after a restart', async () => {
    await start([echo]);
    const [dry] = await report();
    expect(dry).to.include({ tool: 'echo_text', change: 'new', orb_id: 'fix.echo-text@1.0.0', effect: 'irreversible' });
    expect((await bed.platform.call('GET', '/orbs/fix.echo-text@1.0.0')).status).to.equal(404);
    expect(await report({ write: true })).to.deep.equal([dry]);
    expect((await bed.execute('fix.echo-text@1.0.0', { text: 'hi' })).status).to.equal(200);
    const { upstream } = await manifestOf('fix.echo-text@1.0.0');
    expect(upstream).to.deep.equal({ provider: 'fix', tool: 'echo_text', definition_digest: digestOf(echo) });
    const { home } = bed.platform;
    await bed.platform.stop({ keep: true });
    bed = await startBed({ fix: httpProvider(fixture.url) }, [], { home });
    expect((await bed.execute('fix.echo-text@1.0.0', { text: 'hi' })).status).to.equal(200);
  });

  it('makes Orbs that take the size and digest of a result that is too long', async () => {
    await start([tool('long', { run: () => ({ content: [{ type: 'text', text: 'x'.repeat(2000) }] }) })]);
    await bed.platform.stop();
    bed = await startBed({ fix: httpProvider(fixture.url, { max_result_bytes: 1024 }) }, []);
    await report({ write: true });
    const { status, body } = await bed.execute('fix.long@1.0.0', {});
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.outputs.content).to.include({ truncated: true }).and.to.have.keys('truncated', 'bytes', 'digest');
  });

  it('assumes the worst, unless the operator trusts the annotations', async () => {
    await start([
      tool('list_files', { annotations: { readOnlyHint: true } }),
      tool('setMode', { annotations: { idempotentHint: true } }),
      tool('remove-file', { annotations: { destructiveHint: false } }),
      tool('send_mail', { annotations: { destructiveHint: true } }),
      tool('refund', {}),
      tool('exec', {}),
    ]);
    const shown = (tools: readonly Report[]) =>
      tools.map(({ orb_id, effect, action_class }) => [orb_id, effect, action_class]);
    expect(shown(await report())).to.deep.equal([
      ['fix.list-files@1.0.0', 'irreversible', 'read'],
      ['fix.set-mode@1.0.0', 'irreversible', 'write'],
      ['fix.remove-file@1.0.0', 'irreversible', 'delete'],
      ['fix.send-mail@1.0.0', 'irreversible', 'notify'],
      ['fix.refund@1.0.0', 'irreversible', 'payment'],
      ['fix.exec@1.0.0', 'irreversible', 'execute'],
    ]);
    const trusted = await report({ trust_annotations: true, write: true, namespace: 'acme.files' });
    expect(shown(trusted)).to.deep.equal([
      ['acme.files.list-files@1.0.0', 'none', 'read'],
      ['acme.files.set-mode@1.0.0', 'idempotent', 'write'],
      ['acme.files.remove-file@1.0.0', 'reversible', 'delete'],
      ['acme.files.send-mail@1.0.0', 'irreversible', 'notify'],
      ['acme.files.refund@1.0.0', 'irreversible', 'payment'],
      ['acme.files.exec@1.0.0', 'irreversible', 'execute'],
    ]);
    expect((await manifestOf('acme.files.list-files@1.0.0')).upstream.annotations_trusted).to.equal(true);
  });

  it('guards no tool that its server calls read-only, and takes the word of the operator on guards and errors', async () => {
    const [look, press] = [tool('look', { annotations: { readOnlyHint: true } }), tool('press')];
    await start([look, press]);
    const shown = (tools: readonly Report[]) =>
      tools.map(({ orb_id, change, guard, tool_errors }) => [orb_id, change, guard, tool_errors]);
    expect(shown(await report({ write: true }))).to.deep.equal([
      ['fix.look@1.0.0', 'new', 'off', 'no_effect'],
      ['fix.press@1.0.0', 'new', 'on', 'unknown'],
    ]);
    expect((await manifestOf('fix.look@1.0.0')).repeat_guard).to.equal(false);
    expect((await manifestOf('fix.press@1.0.0')).repeat_guard).to.equal(undefined);
    const listed = (await bed.platform.call('GET', '/orbisets/tools/mcp/tools')).body.tools as { name: string }[];
    expect(listed.filter(({ name }) => name.startsWith('fix_'))).to.deep.equal([
      { name: 'fix_look', orb_id: 'fix.look@1.0.0', guard: 'off' },
      { name: 'fix_press', orb_id: 'fix.press@1.0.0', guard: 'on' },
    ]);
    const words = { guard: { value: 'off', tools: ['press'] }, tool_errors: { value: 'no_effect' } };
    expect(shown(await report({ ...words, write: true }))).to.deep.equal([
      ['fix.look@1.0.1', 'patch', 'off', 'no_effect'],
      ['fix.press@1.0.1', 'patch', 'off', 'no_effect'],
    ]);
    const pressed = await manifestOf('fix.press@1.0.1');
    expect([pressed.repeat_guard, pressed.upstream.tool_errors]).to.deep.equal([false, 'no_effect']);
    // Without a word the choices stay.
    expect(shown(await report())).to.deep.equal([
      ['fix.look@1.0.1', 'unchanged', 'off', 'no_effect'],
      ['fix.press@1.0.1', 'unchanged', 'off', 'no_effect'],
    ]);
    const wrong = await importing({ guard: { value: 'on', tools: ['pres'] } });
    expect([wrong.status, wrong.body.errors[0].pointer]).to.deep.equal([422, '#/guard/tools']);
  });

  it('gives tools of like names different ids, and each keeps its own', async () => {
    await start([tool('get_it'), tool('get-it'), tool('Get.It!')]);
    const ids = (tools: readonly Report[]) => tools.map(({ orb_id }) => orb_id);
    const first = ids(await report({ write: true }));
    expect(first).to.deep.equal(['fix.get-it@1.0.0', 'fix.get-it-2@1.0.0', 'fix.get-it-3@1.0.0']);
    expect(ids(await report())).to.deep.equal(first);
  });

  it('makes a new version of a tool that changed, and the old one stays as it is', async () => {
    const properties = { a: { type: 'string' } };
    const versions: readonly (readonly [change: string, id: string | undefined, tool: FixtureTool])[] = [
      ['new', 'fix.it@1.0.0', tool('it', { inputSchema: { type: 'object', properties } })],
      [
        'patch',
        'fix.it@1.0.1',
        tool('it', { description: 'better said', inputSchema: { type: 'object', properties } }),
      ],
      ['minor', 'fix.it@1.1.0', tool('it', { inputSchema: { type: 'object', properties: { ...properties, b: {} } } })],
      ['major', 'fix.it@2.0.0', tool('it', { inputSchema: { type: 'object', properties, required: ['a'] } })],
      ['unchanged', 'fix.it@2.0.0', tool('it', { inputSchema: { type: 'object', properties, required: ['a'] } })],
    ];
    const [, , first = echo] = versions[0] ?? [];
    await start([first]);
    for (const [change, orb_id, next] of versions) {
      fixture.tools = [next];
      expect((await report({ write: true }))[0]).to.include({ change, orb_id });
    }
    expect((await manifestOf('fix.it@1.0.0')).upstream.definition_digest).to.equal(digestOf(first));
  });

  it('imports only what is named, and says what is not there', async () => {
    await start([tool('one'), tool('two')]);
    expect((await report({ only: ['two'] })).map(({ tool: name }) => name)).to.deep.equal(['two']);
    const { status, body } = await importing({ only: ['two', 'three'] });
    expect([status, body.code, body.errors[0].pointer]).to.deep.equal([422, 'invalid_body', '#/only']);
  });

  it('reads draft-07, unknown keywords and formats as they are meant, and after a restart too', async () => {
    await start([
      tool('old', {
        inputSchema: {
          $schema: draft07,
          type: 'object',
          'x-mcp-header': 'nothing',
          properties: {
            pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
            when: { type: 'string', format: 'moon-phase', default: 'full', markdownDescription: 'when' },
            node: { $ref: '#/definitions/node' },
            id: { type: 'string', nullable: true, discriminator: 7, id: 'x', secret: 'no' },
          },
          definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } } },
        },
        outputSchema: {
          $schema: draft07,
          type: 'object',
          properties: { node: { $ref: '#/definitions/node' } },
          definitions: { node: { type: 'object', required: ['name'] } },
        },
      }),
    ]);
    expect(await report({ write: true })).to.have.nested.property('[0].change', 'new');
    const orb = 'fix.old@1.0.0';
    expect(JSON.stringify(await manifestOf(orb))).to.not.include('x-mcp-header');
    const statuses = async () => [
      (await bed.execute(orb, { pair: ['a', 1], when: 'x', id: 'y' })).status,
      (await bed.execute(orb, { pair: ['a', 1, 2] })).body.code,
      (await bed.execute(orb, { node: { next: 7 } })).body.code,
      (await bed.execute(orb, { node: { name: 'n' } })).status,
      // The server breaks its own promise.
      (await bed.execute(orb, { node: {} })).body.code,
    ];
    const expected = [200, 'invalid_inputs', 'invalid_inputs', 200, 'invalid_outputs'];
    expect(await statuses()).to.deep.equal(expected);
    const last = fixture.seen.filter(({ asked }) => asked === 'tools/call')[0];
    expect(last?.body.params?.['arguments']).to.deep.equal({ pair: ['a', 1], when: 'x', id: 'y' });
    const { home } = bed.platform;
    await bed.platform.stop({ keep: true });
    bed = await startBed({ fix: httpProvider(fixture.url) }, [], { home });
    expect(await statuses()).to.deep.equal(expected);
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
  const properties = (a: object) => ({ inputSchema: { type: 'object', properties: { a } } });
  const refused: readonly (readonly [what: string, why: RegExp, tool: FixtureTool])[] = [
    ['a control character', /control characters/, tool('it', { description: 'say\u0007' })],
    ['a mark of direction', /text direction marks/, tool('it', { title: 'safe\u202e' })],
    ['one in a name of a property', /control characters/, tool('it', properties({ properties: { 'a\u2066': {} } }))],
    ['one in an annotation', /control characters/, tool('it', { annotations: { title: '\u009b' } })],
    ['hidden tags', /control characters/, tool('it', { description: 'send\u{e0041}' })],
    [
      'another dialect',
      /dialect/,
      tool('it', { inputSchema: { ...object, $schema: 'http://json-schema.org/draft-04/schema#' } }),
    ],
    ['a reference to elsewhere', /names no schema/, tool('it', properties({ $ref: 'https://evil.example/s.json' }))],
    ['a reference without end', /leads back/, tool('it', { inputSchema: { ...object, allOf: [{ $ref: '#' }] } })],
    ['a pattern that we cannot bound', /pattern/, tool('it', properties({ pattern: '(?=a)\\1' }))],
    ['great depth', /deep/, tool('it', { inputSchema: { type: 'object', ...deep(20) } })],
    ['great length', /bytes/, tool('it', properties({ description: 'x'.repeat(70_000) }))],
    ['a schema that is none', /schema/, tool('it', { inputSchema: { type: 'object', required: 'a' } })],
    ['no schema of an object', /not a schema of an object/, tool('it', { inputSchema: { type: 'string' } })],
  ];
  it('refuses a tool that it cannot show or check, and imports its neighbour', async () => {
    await start([echo]);
    for (const [at, [what, why, one]] of refused.entries()) {
      fixture.tools = [one, tool(`good-${at}`)];
      const [bad, good] = await report({ write: true });
      expect(bad, what).to.include({ change: 'refused' });
      expect(bad?.why, what).to.match(why);
      expect(good, what).to.include({ change: 'new' });
    }
  });

  it('refuses a name that two tools have', async () => {
    await start([tool('it'), tool('it', { description: 'the other' })]);
    const tools = await report();
    expect(tools.map(({ change, why }) => [change, why])).to.deep.equal([
      ['refused', 'the server lists two tools of this name'],
    ]);
  });

  it('needs the scope, and a provider that is configured and lists tools', async () => {
    await start([echo]);
    const key = await bed.platform.key({ name: 'agent', scopes: ['orbs:execute', 'orbs:read'] });
    expect((await importing({}, key)).status).to.equal(403);
    for (const provider of ['nowhere', 'outbox']) {
      const { status, body } = await bed.platform.call('POST', `/providers/${provider}/import`, {});
      expect([status, body.code]).to.deep.equal([422, 'invalid_provider']);
    }
    await fixture.close();
    const { status, body } = await importing();
    expect([status, body.code]).to.deep.equal([502, 'probe_failed']);
    fixture = await startFixture();
  });
});
