import { expect } from 'chai';
import { createServed } from './helpers/served.ts';
import { startSmtp } from './helpers/smtp.ts';
import { createBook } from './soak/book.ts';
import { checkAll } from './soak/checks.ts';
import { createHome } from './soak/home.ts';
import { planSoak } from './soak/settings.ts';
import { createSite } from './soak/site.ts';
import { reportSoak } from './soak/report.ts';
import { runSoak } from './soak/run.ts';
import { reportLives, type Sample } from './soak/sampler.ts';
import { slopeOf } from './soak/slope.ts';
import { drawTable } from './soak/table.ts';

describe('the soak', function () {
  this.timeout(600_000);

  it('refuses a length that is no number', async () => {
    expect((await runSoak({ SOAK_MINUTES: 'long' })).status).to.equal(64);
  });

  it('tells what was acknowledged and is not there, and what was accepted twice', async () => {
    const mail = await startSmtp();
    const site = createSite(await createHome(mail));
    try {
      await site.start();
      const book = createBook();
      book.answered({ runId: 'run_invented', status: 200, token: 'never-sent' });
      book.answered({ runId: 'run_failed', status: 503, code: 'provider_unavailable' });
      book.delivered('an event', 'dlv_invented');
      book.swapped('swp_invented', 'rec_invented');
      const raw = Buffer.from('Subject: soak-token-doubled\r\n\r\n');
      const message = { from: '', to: [], raw, secure: false, user: undefined };
      const rows = await checkAll({ site, book, mail: { ...mail, messages: [message, message] }, verified: 0 });
      expect(rows.filter(({ held }) => held === false).map(({ what }) => what)).to.deep.equal([
        'runs acknowledged, all listed',
        'runs answered 5xx, all interrupted by a crash',
        'swaps acknowledged, each with a receipt',
        'e-mails accepted (SMTP 2, outbox 0), none twice',
        'e-mails acknowledged, all accepted',
        'deliveries acknowledged, all stored',
      ]);
    } finally {
      await site.served.remove();
      await mail.close();
    }
  });

  it('notes a run that is answered in two ways, and an event that is taken twice', () => {
    const book = createBook();
    for (const status of [200, 200, 504]) book.answered({ runId: 'run_1', status });
    for (const id of ['dlv_1', 'dlv_1', 'dlv_2']) book.delivered('an event', id);
    expect(book.faultCount).to.equal(2);
  });

  it('plans restarts of both kinds, then a life that is longer than all before', () => {
    for (const length of [0.34, 2, 30, 240]) {
      const { restarts, lengthMs } = planSoak(length);
      expect(new Set(restarts.map(({ signal }) => signal))).to.have.members(['SIGTERM', 'SIGKILL']);
      expect(restarts.at(-1)?.atMs).to.be.at.most(lengthMs * 0.41);
    }
  });

  it('fits a slope per hour with its error', () => {
    const straight = [0, 1, 2, 3].map((n) => [n * 60_000, 100 + n] as const);
    expect(slopeOf(straight)?.perHour).to.be.closeTo(60, 1e-6);
    expect(slopeOf(straight)?.error).to.be.closeTo(0, 1e-6);
    const noisy = slopeOf([
      [0, 0],
      [60_000, 2],
      [120_000, 0],
      [180_000, 2],
    ]);
    expect(noisy?.perHour).to.be.closeTo(24, 1e-6);
    expect(noisy?.error).to.be.closeTo(60 * Math.sqrt(3.2 / 2 / 5), 1e-6);
    expect(slopeOf([[0, 1]])).to.equal(undefined);
  });

  it('sees a leak in what lives, whatever the teeth of the heap do', () => {
    const saw = (leak: number): readonly Sample[] =>
      Array.from({ length: 360 }, (_, n) => {
        const collected = n % 15 === 14;
        const anonymous = 500 + (collected ? 0 : (n % 113) * 2) + (n / 900) * leak;
        return { atMs: n * 4000, life: 0, files: 40, wal: 1, rss: anonymous + 70, anonymous, collected };
      });
    const judge = (samples: readonly Sample[]) =>
      reportSoak({ site: createSite(served), book: createBook(), samples, checks: [], settings: planSoak(30) });
    const served = createServed();
    expect(reportLives(saw(0))[0]?.live?.perHour).to.be.closeTo(0, 1e-6);
    expect(reportLives(saw(200))[0]?.live?.perHour).to.be.closeTo(200, 1e-6);
    expect([judge(saw(0)).held, judge(saw(200)).held]).to.deep.equal([true, false]);
    return served.remove();
  });

  it('draws what did not hold as NO', () => {
    expect(drawTable([{ what: 'a', figure: '1', held: false }])).to.match(/^\| a +\| 1 +\| NO +\|$/m);
  });
});
