import { expect } from 'chai';
import { startPlatform } from '../../helpers/platform.ts';
import { startVendor } from '../../helpers/vendor.ts';
import { matrixDouble, rooms, token as matrixToken } from './doubles/matrix.ts';
import { createSlack, token as slackToken } from './vendors/slack.ts';

const orb = 'notify.chat@1.0.0';
const runs = Number(process.env['CHAT_SWAP_RUNS'] ?? 240);
const callers = 8;

describe('a swap between Slack and Matrix while messages are sent', () => {
  it(`fails none of ${runs} runs and sends each message once, under one name of the channel`, async () => {
    let at = 0;
    const slack = createSlack(() => `1503435956.${String((at += 1)).padStart(6, '0')}`);
    const matrix = matrixDouble();
    const vendors = await Promise.all([slack, matrix].map(({ contract }) => startVendor(contract)));
    const [slackUrl = '', matrixUrl = ''] = vendors.map(({ url }) => url);
    const providers = {
      slack: {
        adapter: 'chat/slack',
        config: { bot_token: { $env: 'SLACK' }, channels: { ops: 'C024BE91L' }, base_url: slackUrl },
      },
      matrix: {
        adapter: 'chat/matrix',
        config: { access_token: { $env: 'MATRIX' }, channels: { ops: rooms.plain }, base_url: matrixUrl },
      },
    };
    const platform = await startPlatform({
      env: { SLACK: slackToken, MATRIX: matrixToken },
      platform: { providers, bindings: { [orb]: ['slack', 'matrix'] } },
    });
    try {
      const waiting = Array.from({ length: runs }, (_, index) => `Disk ${index} full`);
      const statuses: number[] = [];
      const caller = async (): Promise<void> => {
        for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
          const inputs = { channel: 'ops', text };
          const { status } = await platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs });
          statuses.push(status);
        }
      };
      const load = Promise.all(Array.from({ length: callers }, caller));
      const swaps: number[] = [];
      for (let round = 0; waiting.length > 0; round += 1) {
        const provider = round % 2 === 0 ? 'matrix' : 'slack';
        swaps.push((await platform.call('POST', `/providers/${orb}/swap`, { provider })).status);
      }
      await load;
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect(new Set(swaps)).to.deep.equal(new Set([200]));
      const sent = [...slack.messages.map(({ text }) => text), ...matrix.messages];
      expect(sent.length).to.equal(runs);
      expect(new Set(sent).size).to.equal(runs);
      expect([slack.messages.length, matrix.messages.length].every((count) => count > 0)).to.equal(true);
      console.log(
        `      ${swaps.length} swaps, ${slack.messages.length} by Slack, ${matrix.messages.length} by Matrix`,
      );
    } finally {
      await platform.stop();
      for (const vendor of vendors) await vendor.close();
    }
  }).timeout(60_000);
});
