import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { startPlatform } from '../../../helpers/platform.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { until } from '../../../helpers/until.ts';
import { mcpClient } from '../client.ts';

const orb = 'test.record@1.0.0';
// Node publishes each request that a server begins to serve.
const started = 'http.server.request.start';

describe('a call that its client gives up before anything was sent', () => {
  it('ends cancelled, with a receipt, and nothing is sent', async () => {
    const { promise: held, resolve: decide } = Promise.withResolvers<void>();
    const seen = { asked: 0 };
    const deciding = definePlugin({
      name: 'deciding',
      start({ hooks }) {
        hooks.authorize.tap('deciding', async () => {
          seen.asked += 1;
          await held;
          return { allow: true, policies: [], warns: 0, shadow_denies: 0 };
        });
        return {};
      },
    });
    const recorder = createRecorder();
    const platform = await startPlatform({
      plugins: [deciding],
      platform: {
        authorize: 'deciding',
        providers: { a: { adapter: 'record/local', config: { name: 'a' } } },
        plugins: { deciding: {} },
      },
      data: { [`orbs/${orb}.json`]: recordOrb() },
      adapters: [recorder.adapter],
    });
    const connections: Socket[] = [];
    const note = (message: unknown): void => void connections.push((message as { readonly socket: Socket }).socket);
    subscribe(started, note);
    try {
      const abort = new AbortController();
      const gone = mcpClient(platform)
        .open('tools/call', { name: 'test_record', arguments: { token: 'x' } }, { signal: abort.signal })
        .catch(() => 'gone');
      await until(
        () => seen.asked,
        (asked) => asked === 1,
      );
      abort.abort();
      expect(await gone).to.equal('gone');
      // The server has to hear of it before the decision comes.
      await until(
        () => connections.at(-1)?.closed,
        (closed) => closed === true,
      );
      decide();
      const runs = await until(
        async () => (await platform.call('GET', '/runs')).body.runs,
        (found) => found.length === 1,
      );
      expect([runs[0].status, recorder.calls.length]).to.deep.equal(['cancelled', 0]);
      const receipt = await platform.call('GET', `/receipts/${runs[0].receipt_id}`);
      expect(receipt.body.signature_valid).to.equal(true);
    } finally {
      unsubscribe(started, note);
      await platform.stop();
    }
  });
});
