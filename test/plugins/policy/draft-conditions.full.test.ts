import { expect } from 'chai';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';

const source = 'package orb.policies.one\n\ndeny contains "one" if input.context.inputs.text == "one"\n';

describe('a draft under another name', () => {
  let home: PolicyHome;
  const put = (id: string, text: string, tests?: string) =>
    home.platform.call('PUT', `/policies/${id}`, { source: text, ...(tests === undefined ? {} : { tests }) });
  const drafts = async (): Promise<string[]> => {
    const { body } = await home.platform.call('GET', '/policies');
    return body.policies.filter(({ draft }: { draft: boolean }) => draft).map(({ id }: { id: string }) => id);
  };

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home?.platform.stop());

  it('is renamed when its text is the same: it keeps its tests, and the other name is free', async () => {
    const tests = 'package one_test\n\nimport data.orb.policies.one\n\ntest_none if count(one.deny) == 0\n';
    expect((await put('my', source, tests)).status).to.equal(201);
    const renamed = await put('one', source);
    expect(renamed.status, JSON.stringify(renamed.body)).to.equal(201);
    expect(await drafts()).to.deep.equal(['one']);
    expect((await home.platform.call('GET', '/policies/one')).body.waiting).to.include({ source, tests });
    expect((await home.platform.call('GET', '/policies/my')).status).to.equal(404);
  });

  it('is refused when its text differs: nothing is lost', async () => {
    const { status, body } = await put('other', `# changed\n${source}`);
    expect([status, body.diagnostics[0].code]).to.deep.equal([422, 'package_defined_twice']);
    expect(await drafts()).to.deep.equal(['one']);
  });
});

describe('conditions on drafts', () => {
  let home: PolicyHome;
  const put = (headers: Readonly<Record<string, string>>, comment: string): Promise<Response> =>
    fetch(`${home.platform.url}/policies/one`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${home.platform.adminKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ source: `# ${comment}\n${source}` }),
    });

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home?.platform.stop());

  it('hold when the draft is written, not only when it was asked for: of several at once one is kept', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map((comment) => put({ 'if-none-match': '*' }, comment)));
    expect(made.map(({ status }) => status).sort()).to.deep.equal([201, 412, 412]);
    const [tag] = made.flatMap(({ headers }) => headers.get('etag') ?? []);
    const changed = await Promise.all(['d', 'e', 'f'].map((comment) => put({ 'if-match': tag ?? '' }, comment)));
    expect(changed.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412]);
  });

  it('are told by reading the policy', async () => {
    const { headers } = await home.platform.call('GET', '/policies/one');
    expect((await put({ 'if-match': headers.get('etag') ?? '"none"' }, 'g')).status).to.equal(200);
    expect((await put({ 'if-match': headers.get('etag') ?? '"none"' }, 'h')).status).to.equal(412);
    const now = (await home.platform.call('GET', '/policies/one')).headers.get('etag') ?? '';
    expect((await put({ 'if-none-match': `"x", ${now}` }, 'h')).status).to.equal(412);
    expect((await put({ 'if-none-match': '"x"' }, 'h')).status).to.equal(200);
  });
});
