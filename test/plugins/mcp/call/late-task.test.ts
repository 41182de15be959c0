import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { metaKeys, tasksExtension } from '../../../../plugins/mcp/wire/wire.ts';
import { startPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { mcpClient } from '../client.ts';

const declared = { [metaKeys.capabilities]: { extensions: { [tasksExtension]: {} } } };

describe('a call that its client takes a task for, and that policy decides on late', () => {
  it('is a task as soon as its run is in the queue, and so is its repetition', async () => {
    const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
    const { promise: held, resolve: go } = Promise.withResolvers<void>();
    let asked = 0;
    const deciding = definePlugin({
      name: 'deciding',
      start({ hooks }) {
        hooks.authorize.tap('deciding', async () => {
          asked += 1;
          await decided;
          return { allow: true, policies: [], warns: 0, shadow_denies: 0 };
        });
        return {};
      },
    });
    const recorder = createRecorder();
    recorder.behaviour['a'] = { execute: () => held };
    const platform = await startPlatform({
      plugins: [deciding],
      platform: {
        authorize: 'deciding',
        providers: { a: { adapter: 'record/local', config: { name: 'a' } } },
        plugins: { deciding: {}, mcp: { config: { task_after_ms: 0 } } },
      },
      data: { 'orbs/test.record@1.0.0.json': recordOrb({ timeout_ms: 60_000 }) },
      adapters: [recorder.adapter],
    });
    try {
      const ask = async (method: string, params: object) =>
        (await mcpClient(platform).ask(method, params, { meta: declared })).body.result;
      const answer = ask('tools/call', { name: 'test_record', arguments: { token: 'undecided' } });
      await until(
        () => asked,
        (count) => count === 1,
      );
      const repeated = ask('tools/call', { name: 'test_record', arguments: { token: 'undecided' } });
      // By then it has joined the first.
      for (let turn = 0; turn < 10; turn += 1) await fetch(`${platform.url}/health`);
      decide();
      const { taskId, status } = await answer;
      expect(status).to.equal('working');
      expect(await repeated).to.include({ taskId, status: 'working' });
      go();
      const task = await until(
        () => ask('tasks/get', { taskId }),
        (found) => found.status !== 'working',
      );
      expect(task.status).to.equal('completed');
    } finally {
      go();
      await platform.stop();
    }
  });
});
