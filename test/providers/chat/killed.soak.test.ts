import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';
import { startVendor, type VendorContract, type VendorServer } from '../../helpers/vendor.ts';
import { config, createSlack, token, type SlackDouble } from './vendors/slack.ts';
import { incomingBed, tokens } from './vendors/webhook.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);
const orb_id = 'notify.chat@1.0.0';
const callers = 8;
const enough = 30;

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly orbiset_id: string;
}

describe(`kill -9 while messages are posted (${rounds} times)`, function () {
  this.timeout(60_000 + rounds * 10_000);
  let served: Served;
  let double: SlackDouble;
  let slack: VendorServer;
  let webhook: VendorServer;
  const texts: string[] = [];
  const answered: string[] = [];

  before(async () => {
    let count = 0;
    double = createSlack(() => `${Math.floor(Date.now() / 1000)}.${String((count += 1)).padStart(6, '0')}`);
    slack = await startVendor(slowly(double.contract));
    const { contract } = incomingBed('slack');
    webhook = await startVendor(
      slowly((request) => {
        texts.push((JSON.parse(request.body.toString()) as { text: string }).text);
        return contract(request);
      }),
    );
    const hook = { shape: 'slack', private: true, channels: { ops: { $env: 'HOOK' } } };
    served = createServed(
      {
        providers: {
          slack: { adapter: 'chat/slack', config: { ...config(slack.url), bot_token: { $env: 'SLACK_TOKEN' } } },
          webhook: { adapter: 'chat/incoming', config: hook },
        },
      },
      { env: { SLACK_TOKEN: token, HOOK: `${webhook.url}/services/${tokens.slack}` } },
    );
    mkdirSync(join(served.home, 'data/orbisets'));
    for (const id of ['slack', 'webhook']) {
      const orbiset = { id, tenant: 'default', orbs: ['*'], providers: [id] };
      writeFileSync(join(served.home, `data/orbisets/${id}.json`), JSON.stringify(orbiset));
    }
    for (let round = 0; round < rounds; round += 1) await loadUntilKilled(round);
  });
  after(async () => {
    await served?.remove();
    await slack?.close();
    await webhook?.close();
  });

  // Half of the callers are served by each provider, until enough answers have arrived.
  async function loadUntilKilled(round: number): Promise<void> {
    const { key, url } = await served.start();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const from = answered.length;
    let killed: Promise<void> | undefined;
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        const provider = caller % 2 === 0 ? 'slack' : 'webhook';
        for (let n = 0; ; n += 1) {
          const body = JSON.stringify({ orb_id, inputs: { channel: 'ops', text: `${round} ${caller} ${n}` } });
          const path = `/orbisets/${provider}/execute`;
          const response = await fetch(url + path, { method: 'POST', headers, body }).catch(() => undefined);
          const result = (await response?.json().catch(() => undefined)) as Run | undefined;
          if (result === undefined) return;
          if (response?.ok === true) answered.push(result.run_id);
          if (answered.length - from >= enough + 7 * round) killed ??= served.kill();
        }
      }),
    );
    await killed;
  }

  it('no message is posted twice, and Slack is asked for what was lost', async () => {
    const { key, url } = await served.start();
    const runs: Run[] = [];
    for (let cursor = ''; ;) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${url}/runs?limit=100${cursor}`, { headers });
      const page = (await response.json()) as { readonly runs: readonly Run[]; readonly next_cursor?: string };
      runs.push(...page.runs);
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    const keys = double.messages.map(({ metadata }) => keyOf(metadata));
    expect(new Set(keys).size, 'twice at Slack').to.equal(keys.length);
    expect(new Set(texts).size, 'twice at the webhook').to.equal(texts.length);
    const withStatus = (status: string): ReadonlySet<string> =>
      new Set(runs.filter((run) => run.status === status).map(({ run_id }) => run_id));
    const [completed, indeterminate] = [withStatus('completed'), withStatus('indeterminate')];
    expect(completed.size + indeterminate.size).to.equal(runs.length);
    expect(answered.filter((run_id) => !completed.has(run_id))).to.deep.equal([]);
    // What Slack has is completed, and nothing else; what it has not stays undecided after a restart.
    const atSlack = runs.filter(({ orbiset_id, status }) => orbiset_id === 'slack' && status === 'completed');
    expect(atSlack).to.have.length(keys.length);
    console.log(
      `      ${runs.length} runs, ${completed.size} completed, ${indeterminate.size} indeterminate, ${keys.length} messages at Slack, ${texts.length} at the webhook`,
    );
    expect(await served.stop()).to.equal(0);
  });
});

function slowly(contract: VendorContract): VendorContract {
  return async (request) => {
    await pause(Math.random() * 4);
    const reply = await contract(request);
    await pause(Math.random() * 4);
    return reply;
  };
}

function keyOf(metadata: object | undefined): string {
  return (metadata as { readonly event_payload: { readonly key: string } }).event_payload.key;
}
