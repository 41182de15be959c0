import { expect } from 'chai';
import type { Presentation } from '../../../../kernel/http/route/presentation.ts';
import { reply, type Reply } from '../../../../kernel/http/route/route.ts';
import { asksForJson, asksForPage } from '../../../../kernel/http/route/negotiation.ts';
import { send } from '../../../helpers/http.ts';
import { startHttp } from '../fixture.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the wish for a page', () => {
  const wishes: readonly (readonly [accept: string | undefined, page: boolean, json: boolean])[] = [
    [undefined, false, false],
    ['*/*', false, false],
    ['application/json', false, true],
    ['application/problem+json', false, true],
    [browser, true, false],
    ['text/html', true, false],
    ['text/html;q=0.5, application/json', false, true],
    ['text/html, application/json;q=0.5', true, false],
    ['text/html;q=0', false, false],
    ['TEXT/HTML', false, false],
  ];
  for (const [accept, page, json] of wishes)
    it(`${accept ?? 'nothing'}: ${page ? 'a page' : json ? 'JSON' : 'either'}`, () => {
      expect([asksForPage(accept), asksForJson(accept)]).to.deep.equal([page, json]);
    });
});

describe('a page instead of data', () => {
  const shown = async (present: (what: Presentation) => Promise<Reply>, path: string) => {
    const { base, http, lines } = await startHttp({ present: present as never });
    try {
      return { ...(await send(base, path, { headers: { accept: browser } })), lines };
    } finally {
      await http.drain(0);
    }
  };

  it('may be made later', async () => {
    const page = async ({ kind }: Presentation): Promise<Reply> => reply({ type: 'text/html', body: `<p>${kind}</p>` });
    expect(await shown(page, '/list')).to.include({ status: 200, text: '<p>data</p>' });
    expect(await shown(page, '/nowhere')).to.include({ status: 404, text: '<p>failure</p>' });
    expect((await shown(page, '/fails/storage')).headers.get('retry-after')).to.equal('3');
    expect(await shown(page, '/problems/rate_limited')).to.include({ text: '<p>problem</p>' });
  });

  it('is data when the answer of the hook is none', async () => {
    const { json } = await shown(async () => ({ body: 'x' }), '/nowhere');
    expect(json).to.include({ status: 404, code: 'route_not_found' });
  });

  it('is data when it cannot be made, and the log says why', async () => {
    const broken = (): Promise<Reply> => Promise.reject(new Error('no paper'));
    const { json, lines } = await shown(broken, '/nowhere');
    expect(json).to.include({ status: 404, code: 'route_not_found' });
    expect(lines.join('')).to.include('no paper');
    expect((await shown(broken, '/list')).status).to.equal(200);
  });
});
