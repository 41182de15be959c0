import { expect } from 'chai';
import { kannelSentences } from '../../../providers/sms/vendor/tables.ts';
import { createStage, full, key, report_url, send } from './vendors/bed.ts';
import { kannelBed } from './vendors/kannel.ts';
import { smsSuite } from './vendors/suite.ts';

describe('sms/kannel', () => {
  smsSuite(kannelBed);
  const { vendor: start, open } = createStage(kannelBed);

  it('sends every field, and keeps the login and the message out of the address', async () => {
    const vendor = await start();
    const handle = await open(kannelBed.config(vendor.url));
    const { outputs } = await send(handle, { given: full });
    await send(handle);
    expect(outputs).to.deep.equal({ message_id: key, status: 'accepted', segments: 1, encoding: 'ucs2' });
    const [first, second] = vendor.posts;
    expect(first && kannelBed.posted(first)).to.deep.equal({
      ...{ to: full.to, from: 'Example', text: full.text, encoding: '2', validity: '61' },
      report_url: `${report_url}&status=%d&at=%T`,
    });
    expect(first?.headers['x-kannel-dlr-mask']).to.equal('31');
    expect(second?.headers['x-kannel-coding']).to.equal('0');
    expect(vendor.posts.map(({ path }) => path)).to.deep.equal(['/cgi-bin/sendsms', '/cgi-bin/sendsms']);
  });

  it('answers queued where the gateway keeps the message for later', async () => {
    const vendor = await start();
    vendor.fault = { status: 202, body: '3: Queued for later delivery\n' };
    const { outputs } = await send(await open(kannelBed.config(vendor.url)));
    expect(outputs).to.include({ status: 'queued' });
  });

  it('sends a password to another machine without TLS only where the operator says so', async () => {
    const config = { ...kannelBed.config('http://127.0.0.1:1'), base_url: 'http://10.0.0.5:13013' };
    const failed = await open(config).catch((error: unknown) => error);
    expect(failed).to.include({ outcome: 'provider_fault', remedy: 'use https, or set `plain`' });
    await open({ ...config, plain: true });
    const warnings = (base_url: string) => kannelBed.adapter.warningsOf?.({ base_url } as never);
    expect(warnings('http://10.0.0.5:13013')).to.have.length(1);
    expect(warnings('http://127.0.0.1:13013')).to.deep.equal([]);
  });

  it('has a documented answer for each sentence of its table', () => {
    const documented = kannelBed.answers.map(({ body }) => body);
    expect(documented).to.include.members(Object.keys(kannelSentences));
  });
});
