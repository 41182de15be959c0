import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { digestOf, httpProvider, manifestOf, startBed, type Bed } from './bed.ts';
import { echo, startFixture, type Fixture } from './fixture.ts';

type Members = Readonly<Record<string, unknown>>;

/** The answer to a poll: members of the task, an HTTP status, or a JSON-RPC error code. */
type Poll = Members | number;

const working: Poll = { status: 'working' };
const done: Poll = { status: 'completed', result: { content: [{ type: 'text', text: 'late' }] } };

describe('a call that its server makes a task', () => {
  let fixture: Fixture;
  let bed: Bed;
  let polls: Poll[];

  before(async () => {
    fixture = await startFixture([echo]);
    const named = { provider: 'fix', tool: echo.name, definition_digest: digestOf(echo) };
    bed = await startBed({ fix: httpProvider(fixture.url) }, [
      manifestOf(echo, { effect: 'irreversible', upstream: named }),
    ]);
  });
  after(async () => {
    await bed.platform.stop();
    await fixture.close();
  });
  beforeEach(() => {
    fixture.fault = (asked, response, id) => {
      const task = { resultType: 'task', taskId: 'task-7', status: 'working', ttlMs: 60_000, pollIntervalMs: 100 };
      if (asked === 'tools/call') send(response, 200, { id, result: task });
      else if (asked === 'tasks/cancel') send(response, 200, { id, result: { resultType: 'complete' } });
      else if (asked === 'tasks/get') answer(response, id, polls.shift() ?? working);
      else return false;
      return true;
    };
  });
  const send = (response: ServerResponse, status: number, body: object): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', ...body }));
  const answer = (response: ServerResponse, id: unknown, poll: Poll): void => {
    if (typeof poll === 'object') send(response, 200, { id, result: { resultType: 'complete', ...poll } });
    else if (poll < 0) send(response, 200, { id, error: { code: poll, message: 'no such task' } });
    else response.writeHead(poll).end();
  };
  const orb = `tools.${echo.name.replace('_', '-')}@1.0.0`;
  const since = (asked: string): (() => number) => {
    const count = fixture.count(asked);
    return () => fixture.count(asked) - count;
  };

  const rows: readonly { name: string; polls: Poll[]; gives: readonly unknown[]; asked: number }[] = [
    { name: 'is asked for until it has its result', polls: [working, working, done], gives: [200], asked: 3 },
    { name: 'is asked again when a question fails', polls: [500, 503, done], gives: [200], asked: 3 },
    {
      name: 'leaves the outcome unknown when it fails',
      polls: [{ status: 'failed', error: { code: -32602, message: 'no' } }],
      gives: [504, 'outcome_unknown', 'task'],
      asked: 1,
    },
    {
      name: 'leaves the outcome unknown when it asks for input',
      polls: [{ status: 'input_required' }],
      gives: [504, 'outcome_unknown', 'task'],
      asked: 1,
    },
    {
      name: 'leaves the outcome unknown when its server does not know it',
      polls: [-32602],
      gives: [504, 'outcome_unknown', 'task'],
      asked: 1,
    },
    {
      name: 'leaves the outcome unknown when its server has gone',
      polls: [404, 404, 404, 404, 404],
      gives: [504, 'outcome_unknown', 'task'],
      asked: 5,
    },
  ];
  for (const row of rows)
    it(row.name, async () => {
      polls = [...row.polls];
      const [calls, asked, cancelled] = [since('tools/call'), since('tasks/get'), since('tasks/cancel')];
      const found = await bed.execute(orb, { text: 'hi' });
      const phases = found.status === 200 ? [] : [found.body.code, (await bed.factsOf(found)).attempts.at(-1).phase];
      expect([found.status, ...phases], JSON.stringify(found.body)).to.deep.equal(row.gives);
      expect([calls(), asked()]).to.deep.equal([1, row.asked]);
      if (found.status === 200) expect(found.body.outputs.content).to.deep.equal([{ type: 'text', text: 'late' }]);
      else await until(cancelled, (count) => count === 1, 'a cancelled task');
    });

  it('is cancelled at the deadline', async () => {
    polls = [];
    const cancelled = since('tasks/cancel');
    const found = await bed.execute(orb, { text: 'hi' }, { timeout_ms: 2000 });
    expect([found.status, found.body.code]).to.deep.equal([504, 'outcome_unknown']);
    await until(cancelled, (count) => count === 1, 'a cancelled task');
  });

  it('is what the client says it takes, and is named in each question', async () => {
    polls = [done];
    await bed.execute(orb, { text: 'hi' });
    const call = fixture.seen.findLast(({ asked }) => asked === 'tools/call');
    const meta = call?.body.params?.['_meta'] as Members;
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    expect(meta['io.modelcontextprotocol/clientCapabilities']).to.deep.equal({ extensions });
    const poll = fixture.seen.findLast(({ asked }) => asked === 'tasks/get');
    expect(poll?.headers['mcp-name']).to.equal('task-7');
    expect(poll?.headers['idempotency-key']).to.equal(undefined);
  });
});
