import { expect } from 'chai';
import { mcpForm } from '../../../../plugins/mcp/serve/route.ts';
import type { McpScope } from '../../../../plugins/mcp/scope.ts';

describe('a problem in the form of the protocol', () => {
  const form = mcpForm({ allowedOrigins: new Set(['https://page.example']) } as unknown as McpScope);
  const presented = (code: string, status: number, headers = {}) => {
    const body = { type: 'about:blank', code, status, title: 'Title', detail: 'detail', request_id: 'req_1' };
    const sent = { headers, body: { jsonrpc: '2.0', id: 7, method: 'ping' } };
    return form.present({ status, headers: {}, body }, sent);
  };

  for (const [code, status, own, message] of [
    ['internal', 500, -32603, 'a defect, request req_1'],
    ['malformed_json', 400, -32700, 'detail'],
    ['rate_limited', 429, 429, 'detail'],
    ['not_found', 404, 404, 'detail'],
  ] as const)
    it(`${code} keeps its status ${status} and has the code ${own}`, () => {
      const { body, ...reply } = presented(code, status) as { status: number; body: { id: number; error: object } };
      expect(reply.status).to.equal(status);
      expect(body.id).to.equal(7);
      expect(body.error).to.include({ code: own, message });
    });

  it('may be read by a page of an allowed origin alone', () => {
    const shownTo = (origin: string): unknown =>
      (presented('internal', 500, { origin }) as { headers: Record<string, string> }).headers[
        'Access-Control-Allow-Origin'
      ];
    expect(shownTo('https://page.example')).to.equal('https://page.example');
    expect(shownTo('https://other.example')).to.equal(undefined);
  });
});
