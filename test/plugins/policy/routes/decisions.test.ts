import { expect } from 'chai';
import { firstIdAt } from '../../../../kernel/index.ts';
import { decisionRoutes } from '../../../../plugins/policy/routes/decisions.ts';
import { call, createWorld } from './world.ts';

// A decision that shares nothing with others.
const unshared = { shared: '', shared_text: '{"input":{"context":{}}}' };

interface Page {
  readonly decisions: readonly { readonly decision_id: string }[];
  readonly next_cursor?: string;
}

/** Decisions dec_…1 to dec_…6, one a second; the even ones are denied swaps of another tenant. */
function create() {
  const { operations, scope } = createWorld();
  const id = (number: number): string =>
    firstIdAt('dec', Date.UTC(2026, 10, 20, 10, 0, number)).slice(0, -1) + String(number);
  for (let number = 1; number <= 6; number += 1) {
    const even = number % 2 === 0;
    operations.decide({
      ...{ decision_id: id(number), at: `2026-11-20T10:00:0${number}.000Z`, tenant: even ? 'other' : 'acme' },
      ...{ action: even ? 'swap' : 'execute', allow: !even, orb_id: `a.b@${number}.0.0`, principal: `prn_${number}` },
      ...{ revision: `sha256:${number}`, run_id: even ? null : `run_${number}`, receipt_id: null },
      record: JSON.stringify({ cached: even }),
      ...unshared,
    });
  }
  const routes = decisionRoutes(scope);
  const own = { id: 'prn_1', tenant: 'acme', scopes: ['policies:read'] };
  const list = async (query: object, more: object = {}): Promise<readonly number[]> => {
    const page: Page = await call(routes, 'listPolicyDecisions', { query: { limit: 20, ...query }, ...more });
    return page.decisions.map(({ decision_id }) => Number(decision_id.slice(-1)));
  };
  const read = (number: number, more: object = {}) =>
    call(routes, 'getPolicyDecision', { params: { decision_id: id(number) }, ...more }) as Promise<unknown>;
  return { routes, list, read, id, own: { principal: own } };
}

describe('the routes of the decision log', () => {
  const rows: readonly (readonly [object, readonly number[]])[] = [
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ action: 'swap' }, [6, 4, 2]],
    [{ allow: true }, [5, 3, 1]],
    [{ allow: false }, [6, 4, 2]],
    [{ orb_id: 'a.b@4.0.0' }, [4]],
    [{ principal: 'prn_3' }, [3]],
    [{ revision: 'sha256:5' }, [5]],
    [{ from: '2026-11-20T10:00:05Z' }, [6, 5]],
    [{ to: '2026-11-20T10:00:02Z' }, [1]],
    [{ from: '2026-11-20T11:00:03.000+01:00', to: '2026-11-20T10:00:05.001Z' }, [5, 4, 3]],
    [{ action: 'swap', allow: false, from: '2026-11-20T10:00:03Z' }, [6, 4]],
    [{ action: 'execute', allow: false }, []],
  ];
  for (const [query, expected] of rows)
    it(`list with ${JSON.stringify(query)} ${expected.length} of six, newest first`, async () => {
      expect(await create().list(query)).to.deep.equal(expected);
    });

  it('show a tenant its own alone, and the operator all', async () => {
    const { list, read, own } = create();
    expect(await list({}, own)).to.deep.equal([5, 3, 1]);
    expect(await list({ action: 'swap' }, own)).to.deep.equal([]);
    expect(await read(4, own)).to.equal('decision_not_found');
    expect(await read(4)).to.include({ tenant: 'other' });
    expect(await read(3, own)).to.include({ tenant: 'acme' });
    expect(await read(7)).to.equal('decision_not_found');
    expect(await read(7, own)).to.equal('decision_not_found');
  });

  it('lead from page to page, and name no page after the last', async () => {
    const { routes } = create();
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 3; page += 1) {
      const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const found: Page = await call(routes, 'listPolicyDecisions', { query });
      seen.push(found.decisions.map(({ decision_id }) => decision_id.slice(-1)).join(''));
      cursor = found.next_cursor;
    }
    expect([seen, cursor]).to.deep.equal([['65', '43', '21'], undefined]);
  });

  it('show what has no column beside what has one', async () => {
    const { read, id } = create();
    expect(await read(1)).to.deep.equal({
      ...{ decision_id: id(1), tenant: 'acme', at: '2026-11-20T10:00:01.000Z', action: 'execute', allow: true },
      ...{
        orb_id: 'a.b@1.0.0',
        principal: 'prn_1',
        revision: 'sha256:1',
        run_id: 'run_1',
        cached: false,
        outcome: 'allow',
      },
      input: { context: {} },
    });
  });
});
