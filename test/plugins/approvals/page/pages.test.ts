import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { digestIn, inputsOn, startMailing, type Mailing, type PageAnswer } from '../mailing.ts';
import { ask, type Approving } from '../started.ts';

type Who = keyof Approving['keys'];

describe('the page of an approval', function () {
  let post: Mailing;
  before(async () => (post = await startMailing({ notify: [] })));
  after(() => post.stop());
  beforeEach(() => Object.assign(post.office.asking, { asks: [ask()], denies: false }));

  const cookies = new Map<Who, string>();
  // Signs in as the console does.
  const signedIn = async (who: Who): Promise<Record<string, string>> => {
    if (!cookies.has(who)) {
      const answer = await fetch(`${post.office.url()}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'orb-console': '1' },
        body: JSON.stringify({ key: post.office.keys[who] }),
      });
      expect(answer.status).to.equal(201);
      cookies.set(who, answer.headers.get('set-cookie')?.split(';')[0] ?? '');
    }
    return { cookie: cookies.get(who) ?? '', 'sec-fetch-site': 'same-origin' };
  };
  const status = async (id: string): Promise<string> => (await post.office.call('GET', `/runs/${id}`)).body.status;
  const says = (answer: PageAnswer, expected: number, words: string): void => {
    expect(answer.status, answer.text).to.equal(expected);
    expect(answer.text)
      .to.match(/^<!doctype html>/i)
      .and.to.contain(words);
  };

  it('asks a person who is not signed in to sign in, and lets one who is decide', async () => {
    const { approval, run_id } = await post.held({ text: 'to the outside' });
    const { url } = approval;
    says(await post.browse(url), 200, 'Sign in to see the approval');
    const headers = await signedIn('ada');
    // By a link of a mail: a browser holds the cookie back, and another site's page must not count in any case.
    for (const site of ['cross-site', 'same-site', 'none'])
      says(await post.browse(url, { headers: { ...headers, 'sec-fetch-site': site } }), 200, 'I am signed in');
    const page = await post.browse(url, { headers });
    says(page, 200, 'to the outside');
    const fields = { digest: digestIn(page.text), decision: 'approve', comment: 'seen' };
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await post.submit(url, fields, { ...headers, 'sec-fetch-site': site })).status).to.equal(401);
    expect(await status(run_id)).to.equal('held');
    says(await post.submit(url, fields, headers), 200, 'The run is approved');
    await until(
      () => status(run_id),
      (now) => now === 'completed',
      'the run',
    );
    const { body } = await post.office.call('GET', `/approvals/${approval.id}`);
    expect(body.decisions[0]).to.include({ auth: 'session', surface: 'page', comment: 'seen' });
    says(await post.submit(url, fields, headers), 409, 'approval is approved');
    const shown = await post.browse(url, { headers });
    says(shown, 200, 'is approved');
    expect(shown.text).not.to.contain('<form').and.not.to.contain('to the outside');
  });

  it('has no form for the requester, and refuses its decision with a sentence', async () => {
    const { approval } = await post.held();
    const headers = await signedIn('agent');
    const page = await post.browse(approval.url, { headers });
    says(page, 200, approval.id);
    expect(page.text).not.to.contain('<form');
    const { body } = await post.office.call('GET', `/approvals/${approval.id}`);
    const fields = { digest: body.digest as string, decision: 'approve' };
    says(await post.submit(approval.url, fields, headers), 403, 'ou asked for this run');
    const json = await post.submit(approval.url, fields, { ...headers, accept: 'application/json' });
    expect(JSON.parse(json.text)).to.include({ code: 'approval_own' });
  });

  it('shows nothing to people who are not asked', async () => {
    const { approval } = await post.held({ text: 'secret words' });
    const headers = await signedIn('eve');
    for (const answer of [
      await post.browse(approval.url, { headers }),
      await post.submit(approval.url, { digest: `sha256:${'0'.repeat(64)}`, decision: 'approve' }, headers),
    ]) {
      says(answer, 404, 'There is no such approval');
      expect(answer.text).not.to.contain('secret words');
    }
  });

  it('shows exactly the inputs that are executed, with every hostile character marked', async () => {
    const hostile = [
      'p\u0430ypal.com \u202egpj.exe\u202c \u2066x\u2069 a\u200bb\u00a0c',
      '<script>alert(1)</script><b>"\'`&amp;</b>',
      'line\nline\ttab \\u202e "quoted" \u2028 \u0085 \u05e9\u05dc\u05d5\u05dd 12 \u{e0041}\u{1f468}\u200d\u{1f469}',
      '\u0440\u0430\u0443\u0440\u0430\u04cf.com \uff41\u2215\u0966' + '1\u0966 ' + '\ufeff',
    ];
    const headers = await signedIn('ada');
    for (const text of hostile) {
      const { approval, run_id } = await post.held({ text });
      const page = await post.browse(approval.url, { headers });
      expect(JSON.parse(inputsOn(page.text))).to.deep.equal({ text });
      // What a page sends to a browser moves and hides nothing.
      expect(page.text).not.to.match(/[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u00a0\u0085]/);
      expect(page.text).not.to.contain('<script').and.not.to.contain('<b>');
      await post.submit(approval.url, { digest: digestIn(page.text), decision: 'approve' }, headers);
      await until(
        () => status(run_id),
        (now) => now === 'completed',
        'the run',
      );
      const sent = post.office.asking.seen.at(-1)?.['inputs'];
      expect(sent).to.deep.equal({ text });
    }
  });
});
