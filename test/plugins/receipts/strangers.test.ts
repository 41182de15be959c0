import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createServed, type Served } from '../../helpers/served.ts';
import { send, type Received } from '../../helpers/http.ts';
import { until } from '../../helpers/until.ts';
import { need } from '../../helpers/needs.ts';

const echo = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };

describe('receipts in the hands of strangers', () => {
  let served: Served;
  let url: string;
  let key: string;
  let receipt: Received;

  before(async function () {
    this.timeout(120_000);
    served = createServed();
    ({ url, key } = await served.start());
    for (let at = 0; at < 3; at++) {
      const run = await send(url, '/orbisets/default/execute', { key, json: echo });
      const { receipt_id: id } = run.json['receipt'] as { receipt_id: string };
      receipt = await send(url, `/receipts/${id}`, { key });
    }
    writeFileSync(join(served.home, 'r.json'), receipt.text);
    writeFileSync(join(served.home, 'edited.json'), receipt.text.replace(/"trust_score":\d+/, '"trust_score":99'));
    const { envelope, receipt_id: id } = receipt.json as { envelope: object; receipt_id: string };
    writeFileSync(join(served.home, 'envelope.json'), JSON.stringify(envelope));
    const proof = await send(url, `/receipts/${id}?format=tlog-proof`, { key });
    writeFileSync(join(served.home, 'r.tlog-proof'), proof.text);
  });
  after(() => served.remove());

  const curl = (...form: string[]): { overall: string; exit: number; code?: string } => {
    const fields = form.flatMap((field) => ['-F', field]);
    const args = ['-s', ...fields, `${url}/receipts/verify`];
    return JSON.parse(execFileSync('curl', args, { cwd: served.home, encoding: 'utf8' })) as ReturnType<typeof curl>;
  };

  it('are verified for anybody who sends them as JSON or as a file of a form', async function () {
    const answer = await send(url, '/receipts/verify', {
      headers: { 'content-type': 'application/json' },
      body: receipt.text,
    });
    expect(answer.json).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(answer.json).to.not.have.property('place');
    need(this, 'curl');
    expect(curl('receipt=@r.json')).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(curl('receipt=@edited.json')).to.include({ overall: 'REJECTED', exit: 1 });
    expect(curl('receipt=@envelope.json')).to.include({ overall: 'REJECTED', exit: 3 });
    expect(curl('receipt=@envelope.json', 'proof=@r.tlog-proof')).to.include({ overall: 'VERIFIED', exit: 0 });
    expect(curl('receipt=@r.tlog-proof')).to.include({ overall: 'REJECTED', exit: 2 });
    expect(curl('proof=@r.tlog-proof')).to.include({ code: 'invalid_body' });
    expect(curl('receipt=@r.json', 'receipt=@r.json')).to.include({ code: 'invalid_body' });
    expect(curl('file=@r.json')).to.include({ code: 'invalid_body' });
    writeFileSync(join(served.home, 'latin.json'), Buffer.from([0x22, 0xe4, 0x22]));
    expect(curl('receipt=@latin.json')).to.include({ overall: 'REJECTED', exit: 2 });
  }).timeout(120_000);

  it('are verified within a bucket of their own, which leaves the other public routes theirs', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => send(url, '/receipts/verify', { json: {} }).then(({ status }) => status)),
    );
    expect(new Set(answers)).to.deep.equal(new Set([200, 429]));
    expect((await send(url, '/log/checkpoint')).status).to.equal(200);
  }).timeout(120_000);

  it('are verified likewise when they are large, in a thread whose queue is bounded', async () => {
    const headers = { 'content-type': 'application/json' };
    const ask = (body: string) => send(url, '/receipts/verify', { headers, body });
    const padding = ' '.repeat(100_000);
    // The bucket of the test before is full again after a second.
    const whole = await until(
      () => ask(receipt.text + padding),
      ({ status }) => status !== 429,
    );
    const small = (await ask(receipt.text)).json;
    expect([whole.status, whole.json]).to.deep.equal([200, small]);
    const edited = receipt.text.replace(/"trust_score":\d+/, '"trust_score":99');
    expect((await ask(edited + padding)).json).to.include({ overall: 'REJECTED', exit: 1 });
    expect((await ask(`{"a":1,"a":2}${padding}`)).json).to.include({ code: 'malformed_json' });
    expect((await ask(`[]${padding}`)).json).to.include({ code: 'invalid_body' });
    const form = new FormData();
    form.set('receipt', new Blob([receipt.text + padding]), 'large.json');
    const posted = await fetch(`${url}/receipts/verify`, { method: 'POST', body: form });
    expect(await posted.json()).to.include({ overall: 'VERIFIED', exit: 0 });
    const many = `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":0`).join()}}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(many).then(({ status }) => status)));
    expect([...new Set(answers)])
      .to.include(503)
      .and.to.satisfy((seen: number[]) => seen.every((status) => [200, 429, 503].includes(status)));
  }).timeout(120_000);

  it('are fetched with the proof that the log has only grown, so that each is VERIFIED offline', async () => {
    for (let round = 0; round < 3; round++) {
      const run = await send(url, '/orbisets/default/execute', { key, json: echo });
      const { receipt_id: id } = run.json['receipt'] as { receipt_id: string };
      const fetched = served.orb('receipts', 'get', id);
      expect(fetched.status, fetched.stderr).to.equal(0);
      const file = `fetched-${round}.json`;
      writeFileSync(join(served.home, file), fetched.stdout);
      const { stdout } = served.orb('receipts', 'verify', file);
      expect(stdout.trim().split('\n').at(-1), stdout).to.equal('VERIFIED');
      const headers = { 'content-type': 'application/json' };
      // The test before has emptied the bucket, which is full again after a second.
      const posted = await until(
        () => send(url, '/receipts/verify', { headers, body: fetched.stdout }),
        ({ status }) => status !== 429,
      );
      expect(posted.json).to.include({ overall: 'VERIFIED' });
    }
  }).timeout(120_000);

  it('stand in a log that is read as fast as one asks, and kept by caches where it no longer changes', async () => {
    const all = (path: string) => Promise.all(Array.from({ length: 150 }, () => send(url, path)));
    const [notes, tiles] = [await all('/log/checkpoint'), await all('/log/tile/0/000.p/1')];
    expect(new Set([...notes, ...tiles].map(({ status }) => status))).to.deep.equal(new Set([200]));
    const headers = (answers: readonly Received[], name: string) => answers[0]?.headers.get(name);
    expect(headers(notes, 'ratelimit-policy')).to.equal('"log";q=1000;w=1');
    expect(headers(notes, 'cache-control')).to.equal('no-cache');
    expect(headers(tiles, 'cache-control')).to.equal('public, max-age=31536000, immutable');
    expect((await send(url, '/log/proof/inclusion?index=0')).headers.get('ratelimit-policy')).to.equal(
      '"public";q=50;w=1',
    );
  }).timeout(120_000);

  it('are exported by the command, unpacked by tar, and verified offline by the commands', async () => {
    const exported = served.orb('receipts', 'export', '--out', 'all.tar');
    expect(exported.status, exported.stderr).to.equal(0);
    expect(existsSync(join(served.home, 'all.tar.part'))).to.equal(false);
    const folder = join(served.home, 'all');
    mkdirSync(folder);
    execFileSync('tar', ['-xf', join(served.home, 'all.tar'), '-C', folder]);
    const verified = served.orb('receipts', 'verify', folder);
    expect([verified.status, verified.stdout.trim().split('\n').at(-1)], verified.stdout).to.deep.equal([
      0,
      'VERIFIED',
    ]);
    expect(served.orb('log', 'fsck', folder).status).to.equal(0);
    const filtered = served.orb('receipts', 'export', '--out', '-', '--status', 'denied');
    expect([filtered.status, filtered.stdout.includes('"status":"denied"')]).to.deep.equal([0, false]);
    const refused = served.orb('receipts', 'export', '--out', 'x.tar', '--from', 'yesterday');
    expect(refused.status, 'EX_USAGE').to.equal(64);
    expect(existsSync(join(served.home, 'x.tar'))).to.equal(false);
  }).timeout(120_000);

  it('are exported to who may read receipts alone', async () => {
    expect((await send(url, '/receipts/export')).status).to.equal(401);
    const made = await send(url, '/keys', { key, json: { scopes: ['orbs:execute'] } });
    const other = String(made.json['key']);
    expect((await send(url, '/receipts/export', { key: other })).json).to.include({ code: 'insufficient_scope' });
  }).timeout(120_000);

  it('are verified on a page that needs no key and lets nothing out', async () => {
    const page = await send(url, '/verify');
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).to.match(/^default-src 'none'; style-src 'sha256-\S+'; .*script-src 'sha256-\S+';/);
    expect(policy).to.not.match(/unsafe|connect-src|https?:/);
    const markup = page.text.replaceAll(/<(script|style)[^>]*>[^]*?<\/\1>/g, '');
    expect(markup).to.not.match(/\s(?:src|action|on\w+)=/);
    const { keys } = JSON.parse(readFileSync(join(served.stateDir, 'jwks.json'), 'utf8')) as {
      keys: { kid: string }[];
    };
    for (const { kid } of keys) expect(page.text).to.include(kid);
  }).timeout(120_000);

  it('are proved by the log itself when the command may ask it', async () => {
    const verify = (...more: string[]) => served.orb('receipts', 'verify', 'r.json', ...more);
    const first = verify('--url', `${url}/log`);
    expect(first.status, first.stdout).to.equal(0);
    await send(url, '/orbisets/default/execute', { key, json: echo });
    const grown = verify('--url', `${url}/log`);
    expect(grown.stdout).to.match(/consistency_with_last_seen +pass/);
    expect(grown.status).to.equal(0);
    const offline = verify();
    expect([offline.status, offline.stdout.trim().split('\n').at(-1)], offline.stdout).to.deep.equal([0, 'VERIFIED']);
    const deaf = verify('--url', 'http://127.0.0.1:9/log');
    expect([deaf.status, deaf.stderr.includes('127.0.0.1:9')]).to.deep.equal([3, true]);
  }).timeout(120_000);
});
