import { expect } from 'chai';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Connection } from '../../../../providers/mcp/wire/client.ts';
import { UpstreamServer } from '../../../../providers/mcp/wire/server.ts';

describe('the definitions before a call that cannot be taken back', () => {
  for (const { freshMs, lists } of [
    { freshMs: -1, lists: 2 },
    { freshMs: Infinity, lists: 1 },
  ])
    it(`are read ${lists === 1 ? 'once while they are fresh' : 'again when they are old'}`, async () => {
      let listed = 0;
      const connection = { session: undefined, close: async () => undefined, list: async () => ((listed += 1), []) };
      const server = new UpstreamServer({
        dial: async () => connection as unknown as Connection,
        ...{ sharing: 'auto', mostSessions: 1, tools: undefined, maxRestartsPerMin: 1, longestDelayMs: 1 },
        ...{ connectMs: 1000, freshMs, log: silentLog },
      });
      try {
        await server.start();
        await server.renew();
        expect(listed).to.equal(lists);
      } finally {
        await server.close();
      }
    });
});
