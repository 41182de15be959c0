import { expect } from 'chai';
import type { Answer, TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { orb, startQueueing, type Queueing } from './queueing.ts';

const perCaller = 64;

describe('waits for the end of a run', function () {
  this.timeout(60_000);
  let queueing: Queueing;
  let platform: TestPlatform;
  let runId: string;
  before(async () => {
    queueing = await startQueueing();
    ({ platform } = queueing);
    const run_at = new Date(Date.now() + 86_400_000).toISOString();
    runId = (await queueing.ask('later', { run_at })).body.run_id;
  });
  after(() => platform.stop());

  const held = async (): Promise<number> => {
    const response = await fetch(`${platform.url}/metrics`, {
      headers: { authorization: `Bearer ${platform.adminKey}` },
    });
    return Number(/^orb_http_held_answers\{kind="wait"\} (\d+)$/m.exec(await response.text())?.[1] ?? 0);
  };
  const wait = (key: string, signal: AbortSignal): Promise<number> =>
    fetch(`${platform.url}/runs/${runId}?wait=60`, { headers: { authorization: `Bearer ${key}` }, signal }).then(
      ({ status }) => status,
      () => 0,
    );

  it('are bounded per caller: one beyond is refused, those of another caller are not', async () => {
    const [weak, other] = [
      await platform.key({ scopes: ['runs:read'] }),
      await platform.key({ scopes: ['runs:read'] }),
    ];
    const leave = new AbortController();
    const waiting = Array.from({ length: perCaller }, () => wait(weak, leave.signal));
    await until(held, (count) => count === perCaller, 'waits');
    const refused = await platform.call('GET', `/runs/${runId}?wait=60`, undefined, weak);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).to.deep.equal([
      ...[429, 'rate_limited', '5'],
    ]);
    expect((await platform.call('GET', `/runs/${runId}`, undefined, weak)).status, 'without a wait').to.equal(200);
    waiting.push(wait(other, leave.signal));
    await until(held, (count) => count === perCaller + 1, 'waits of both');
    leave.abort();
    await Promise.all(waiting);
    await until(held, (count) => count === 0, 'no waits');
  });

  it('that a caller prefers are not done beyond the bound: its run is accepted at once', async () => {
    const caller = await platform.key({ scopes: ['runs:read', 'orbs:execute'] });
    const leave = new AbortController();
    const waiting = Array.from({ length: perCaller }, () => wait(caller, leave.signal));
    await until(held, (count) => count === perCaller, 'waits');
    const asked = {
      orb_id: orb,
      inputs: { token: 'preferred' },
      run_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const answer = await prefer(asked, caller);
    expect([answer.status, answer.headers.get('preference-applied')]).to.deep.equal([202, 'respond-async']);
    leave.abort();
    await Promise.all(waiting);
  });

  const prefer = async (body: object, key: string): Promise<Pick<Answer, 'status' | 'headers'>> =>
    fetch(`${platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        prefer: 'respond-async, wait=60',
      },
      body: JSON.stringify(body),
    });
});
