import { expect } from 'chai';
import type { PlatformError, Route } from '../kernel/index.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';

/** Forms of answers that last for as long as their caller takes, or longer. */
const lasting = /^(?:text\/event-stream|text\/csv|application\/(?:x-tar|x-ndjson))$/;

describe('an answer that stays open', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const call = {
    params: { id: 'default', orb_id: 'demo.echo@1.0.0' },
    query: { format: 'ndjson', from: '2026-01-01T00:00:00.000Z' },
    headers: { host: 'localhost', 'mcp-protocol-version': '2025-11-25' },
    principal: { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: ['*'], mode: 'live' },
    // The caller holds as many as it may.
    hold: () => undefined,
  };
  const refusal = async ({ handle }: Route): Promise<string> => {
    try {
      await handle(call as never);
      return 'none';
    } catch (error) {
      return (error as PlatformError).code;
    }
  };

  it('takes one of the places of its caller, at each route', async () => {
    // The answers to a POST are those of runs, which have limits of their own.
    const routes = platform.kernel.routes.filter(({ method, produces = '', forms = {} }) => {
      return method === 'GET' && [produces, ...Object.keys(forms)].some((form) => lasting.test(form));
    });
    const refused: string[] = [];
    for (const route of routes) refused.push(`${route.path} ${await refusal(route)}`);
    expect(refused.sort()).to.deep.equal(
      [
        ...['/audit/export', '/events', '/ledger/export/entries', '/ledger/export/facts', '/orbisets/{id}/mcp'],
        ...['/receipts/export', '/reputation/{orb_id}/evidence', '/runs/export'],
      ].map((path) => `${path} rate_limited`),
    );
  });
});
