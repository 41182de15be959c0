import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { mailOf } from './helpers/cluster.ts';
import { createServed, type Served } from './helpers/served.ts';
import { startSmtp, type SmtpReceiver } from './helpers/smtp.ts';
import { until } from './helpers/until.ts';

interface Answer {
  readonly status: number;
  readonly replayed: string | null;
  readonly body: { readonly code?: string; readonly run_id?: string; readonly status?: string };
}

describe('a disk that is full when a run was sent', function () {
  this.timeout(60_000);
  let smtp: SmtpReceiver;
  let served: Served;
  let at: { readonly url: string; readonly key: string };
  let marker: string;
  // The mail is taken, and the end of its run finds no room.
  let fills = false;
  beforeEach(async () => {
    smtp = await startSmtp({ onMessage: () => fills && writeFileSync(marker, '') });
    const mail = { adapter: 'email/smtp', config: { host: '127.0.0.1', port: smtp.port, starttls: 'never' } };
    const env: Record<string, string> = {};
    served = createServed(
      { providers: { mail }, bindings: { 'notify.email@1.0.0': ['mail'] } },
      { preload: new URL('helpers/full-disk.ts', import.meta.url), serverEnv: env },
    );
    marker = join(served.home, 'full');
    env['TEST_FULL_DISK'] = marker;
    at = await served.start();
    fills = true;
  });
  afterEach(async () => {
    fills = false;
    await served.remove();
    await smtp.close();
  });

  const call = async (method: string, path: string, body?: object, headers: object = {}): Promise<Answer> => {
    const response = await fetch(at.url + path, {
      method,
      headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const replayed = response.headers.get('idempotent-replayed');
    return { status: response.status, replayed, body: (await response.json()) as Answer['body'] };
  };
  const send = (headers?: object) => call('POST', '/orbisets/default/execute', mailOf('one'), headers);
  const makeRoom = (): void => {
    fills = false;
    rmSync(marker);
  };
  const refused = async (headers?: object): Promise<string> => {
    const { status, body } = await send(headers);
    expect([status, body.code]).to.deep.equal([503, 'storage_unavailable']);
    return body.run_id ?? '';
  };
  const recorded = (runId: string): Promise<Answer> =>
    until(
      () => call('GET', `/runs/${runId}`),
      ({ status }) => status === 200,
      'the end of the run',
    );

  it('gives it its receipt as soon as there is room, and its key that answer; it is not sent again', async () => {
    const key = { 'idempotency-key': 'first' };
    const runId = await refused(key);
    expect((await send(key)).body).to.include({ code: 'idempotency_in_progress', run_id: runId });
    makeRoom();
    expect((await recorded(runId)).body).to.include({ status: 'completed' });
    const again = await send(key);
    expect([again.status, again.replayed, again.body.run_id]).to.deep.equal([200, 'true', runId]);
    expect(smtp.messages).to.have.length(1);
  });

  it('gives it its receipt when it has no key, too', async () => {
    const runId = await refused();
    makeRoom();
    expect((await recorded(runId)).body).to.include({ status: 'completed' });
  });

  it('gives it its receipt before the server ends, if there is room by then', async () => {
    const runId = await refused();
    makeRoom();
    expect(await served.stop()).to.equal(0);
    at = await served.start();
    expect((await recorded(runId)).body).to.include({ status: 'completed' });
  });

  it('leaves what it could not record to the next start, which does not know how it ended', async () => {
    const runId = await refused();
    await served.stop();
    makeRoom();
    at = await served.start();
    expect((await recorded(runId)).body).to.include({ status: 'indeterminate' });
  });
});
