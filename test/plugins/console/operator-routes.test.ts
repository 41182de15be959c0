import { expect } from 'chai';
import type { Route } from '../../../kernel/index.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { callsIn, consoleCalls, type ConsoleCall } from './calls.ts';

/** Operator's routes that no screen calls, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'GET /metrics': 'is read by Prometheus; the charts show the counts of runs',
  'GET /traces': 'is read by tools for traces, from the memory of one node',
  'GET /maintenance/{maintenance_id}': 'the list of windows has all of it',
  'POST /approvals/{approval_id}/page': 'is the form of the page for people without the console',
  'GET /receipts/{receipt_id}/proof':
    'a receipt has its proof; this one is for followers of the log at a size of theirs',
  'GET /receipts/export': 'may have any size: `orb receipts export` writes it into a folder, and goes on after a break',
  'GET /ledger/export': 'is for others who compute the scores again',
  'GET /ledger/export/facts': 'is for others who compute the scores again',
  'GET /ledger/export/entries': 'is for others who compute the scores again',
  'POST /policies/validate': 'a draft is validated when it is stored',
  'GET /policies/-/schemas/{action}': 'is for editors of policies',
  'GET /policies/-/capabilities': 'is for editors of policies',
  'GET /policies/-/revisions/{revision}': 'the differences of revisions show their files',
  'POST /dry-run': 'Try it uses the preview of the Orbiset, which decides on the same',
  'POST /providers/{provider}/import': 'takes decisions on many tools: `orb mcp import` shows each of them',
  'GET /sources/{source_id}/usage': 'counts events of analytics, which only programs send',
};

/** Segments that a screen puts together from words of its own: the routes that they make. */
const composed: Readonly<Record<string, readonly string[]>> = {
  'POST /incidents/*/*': ['acknowledge', 'resolve', 'retract'],
};

/** At most this share of the operator's routes may have no screen. */
const most = 0.15;

const titleOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** Whoever holds nothing but `orbs:execute` is a caller: its routes are those of programs. */
const isOperators = ({ public: open, scope }: Route): boolean =>
  open !== true && scope !== undefined && [scope].flat().some((one) => one !== 'orbs:execute');

function matches({ method, path }: ConsoleCall, route: Route): boolean {
  if (method !== route.method) return false;
  const wanted = route.path.split('/');
  const given = path.split('/');
  if (given[0] === '**') {
    // The unknown beginning is the path of one thing, which ends with its id.
    const [rest, start] = [given.slice(1), wanted.length - given.length + 1];
    return wanted[start - 1]?.startsWith('{') === true && fits(rest, wanted.slice(start));
  }
  return fits(given, wanted);
}

// A word that the API takes in the place of an id.
const isValue = (part = ''): boolean => part.includes('*') || part === 'drafts';

const fits = (given: readonly string[], wanted: readonly string[]): boolean =>
  given.length === wanted.length &&
  wanted.every((part, at) => (part.startsWith('{') ? isValue(given[at]) : part === given[at]));

describe('the calls that are read from a source of the console', () => {
  for (const [text, expected] of [
    ["useGet('/nodes')", ['GET /nodes']],
    ['const path = `/sources/${encodeURIComponent(id)}`; useGet(path)', ['GET /sources/*']],
    ['useGet(may ? `/orbs/${id}?a=1` : undefined)', ['GET /orbs/*']],
    ["const one = (id: string) => `/a/${id}`; f({ method: 'POST', path: `${one(x)}/b` })", ['POST /a/*/b']],
    ["const call = { method: 'PUT', path: '/a' }; f({ ...call, path: '/b' })", ['PUT /a', 'PUT /b']],
    ["f({ method: 'POST', path: `${of}/replay` })", ['POST **/replay']],
    ["useList({ path: withQuery('/runs', query), member: 'runs' })", ['GET /runs']],
    ['html`<${ApiCall} call=${{ path: "/shown" }} />`', []],
    ['html`<a href=${withQuery("/saved", query)} download="a.csv">`', ['GET /saved']],
    ['html`<a href=${hrefOf("/shown")}>`', []],
    ['html`<${Act} call=${{ method: "DELETE", path: "/made" }} />`', ['DELETE /made']],
    ['f({ path: value })', []],
    ["const step = { title: 'Try it', path: '/try' }", []],
    ['const path = "/a"; function g(path: string) { useGet(`${path}/b`); }', ['GET **/b']],
    [
      'function g() { const path = "/a"; useGet(path); } function h() { const path = "/b"; get(path); }',
      ['GET /a', 'GET /b'],
    ],
  ] as const)
    it(`of ${text} are ${expected.join(', ') || 'none'}`, () => {
      expect(callsIn('a.ts', text).map(({ method, path }) => `${method} ${path}`)).to.deep.equal(expected);
    });
});

describe("the operator's routes", () => {
  let platform: TestPlatform;
  let routes: readonly Route[];
  let operators: readonly Route[];
  const calls = consoleCalls().flatMap((call) => {
    const words = composed[`${call.method} ${call.path}`];
    return words === undefined ? [call] : words.map((word) => ({ ...call, path: call.path.replace(/\*$/, word) }));
  });

  before(async () => {
    platform = await startPlatform();
    ({ routes } = platform.kernel);
    operators = routes.filter(isOperators);
  });
  after(() => platform.stop());

  it('are those of all screens: each call of a screen is a route', () => {
    const strange = calls.filter((call) => !routes.some((route) => matches(call, route)));
    expect(strange.map(({ file, method, path }) => `${file}: ${method} ${path}`)).to.deep.equal([]);
    expect(calls).to.have.length.above(80);
  });

  it('have a beginning that leads to one route, where it is not known', () => {
    const vague = calls.filter(({ path }) => path.startsWith('**'));
    const all = vague.map((call) => [call, routes.filter((route) => matches(call, route)).map(titleOf)] as const);
    expect(
      all.filter(([, found]) => found.length !== 1).map(([{ file, path }, found]) => [file, path, found]),
    ).to.deep.equal([]);
  });

  it('are each called by a screen, but for those of the table above', () => {
    const without = operators.filter((route) => !calls.some((call) => matches(call, route))).map(titleOf);
    expect(without, 'add a screen, or a row with the reason; a row that is not needed goes').to.have.members(
      Object.keys(exceptions),
    );
  });

  it(`have a screen, all but ${100 * most} %`, () => {
    expect(operators).to.have.length.above(100);
    expect(Object.keys(exceptions).length / operators.length).to.be.at.most(most);
  });
});
