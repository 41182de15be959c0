import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { accepted, refusal } from '../../../../providers/vendor/http/refusal.ts';

const vendor = { title: 'Acme', credentials: '`api_key`' };
const now = Date.parse('2026-11-21T12:00:00Z');

describe('the answer of a vendor', () => {
  const byStatus: { statuses: number[]; outcome: ProviderError['outcome'] }[] = [
    { statuses: [200, 201, 202, 204], outcome: 'unknown' },
    { statuses: [300, 301, 302, 303, 304, 307, 308], outcome: 'provider_fault' },
    { statuses: [400, 413, 422], outcome: 'rejected' },
    { statuses: [401, 402, 403, 404, 405, 406, 409, 410, 415, 421, 451], outcome: 'provider_fault' },
    { statuses: [429], outcome: 'throttled' },
    { statuses: [408, 500, 501, 502, 503, 504, 520, 529, 599], outcome: 'unknown' },
  ];
  for (const { statuses, outcome } of byStatus)
    it(`means ${outcome}, when the vendor has no say, with status ${statuses.join(', ')}`, () => {
      for (const status of statuses) {
        const error = refusal(vendor, { status, headers: {}, body: undefined }, now);
        expect([error.outcome, error.phase], String(status)).to.deep.equal([outcome, 'response']);
        expect(error.message).to.include('Acme').and.include(String(status));
      }
    });

  it('is never decided by the vendor when it is a success', () => {
    const answer = { status: 200, headers: {}, body: {} };
    expect(
      refusal({ title: 'Acme', credentials: '`api_key`', outcome: () => 'rejected' }, answer, now).outcome,
    ).to.equal('unknown');
  });

  it('is decided by the vendor when it says that a success is a refusal', () => {
    const answer = { status: 200, headers: {}, body: { ok: false } };
    const refuses = { ...vendor, refused: ({ body }: { body: unknown }) => body === answer.body };
    const error = refusal({ ...refuses, outcome: () => 'rejected' }, answer, now);
    expect([error.outcome, error.message]).to.deep.equal(['rejected', 'Acme rejected the message (200)']);
    expect(refusal(refuses, answer, now).outcome).to.equal('unknown');
  });

  it('has the remedy of the vendor, or the usual one', () => {
    const remedy = ({ status }: { status: number }) => (status === 404 ? 'check `channels`' : undefined);
    const remedyOf = (status: number) => refusal({ ...vendor, remedy }, { status, headers: {}, body: {} }, now).remedy;
    expect(remedyOf(404)).to.equal('check `channels`');
    expect(remedyOf(405)).to.equal('check `base_url`');
  });

  it('is a rejection of content that is too long with status 413 alone', () => {
    const reasonOf = (status: number) => refusal(vendor, { status, headers: {}, body: undefined }, now).reason;
    expect([400, 413, 422, 429].map(reasonOf)).to.deep.equal([undefined, 'content_too_long', undefined, undefined]);
  });

  it('is a rejection for the reason that the vendor gives', () => {
    const outcome = () => ({ outcome: 'rejected', reason: 'recipient_gone' }) as const;
    const error = refusal({ ...vendor, outcome }, { status: 404, headers: {}, body: {} }, now);
    expect([error.outcome, error.reason]).to.deep.equal(['rejected', 'recipient_gone']);
  });

  it('shows a code that is one, and no text', () => {
    const shown = (code: string): string =>
      refusal(
        { title: 'Acme', credentials: '`api_key`', code: () => code },
        { status: 400, headers: {}, body: {} },
        now,
      ).message;
    expect(shown('validation_error')).to.include('(400 validation_error)');
    for (const text of ['ada@example.org', 'two words', 'x'.repeat(65), 'a\nb', ''])
      expect(shown(text), text).to.include('(400)');
  });

  const ids: unknown[] = ['', undefined, null, 7, {}, ['x'], 'x'.repeat(999)];
  for (const id of ids)
    it(`is no acceptance with the id ${JSON.stringify(id)?.slice(0, 20)}`, () => {
      expect(() => accepted(vendor, { status: 200, headers: {}, body: {} }, id)).to.throw(ProviderError, 'without');
    });

  it('is no acceptance with an id and an error', () => {
    expect(() => accepted(vendor, { status: 400, headers: {}, body: {} }, 'id')).to.throw(ProviderError, 'rejected');
    expect(accepted(vendor, { status: 202, headers: {}, body: {} }, 'id')).to.equal('id');
  });

  it('is no acceptance with an id and a status around those of success', () => {
    for (const status of [200, 299]) expect(accepted(vendor, { status, headers: {}, body: {} }, 'id')).to.equal('id');
    for (const status of [199, 300])
      expect(() => accepted(vendor, { status, headers: {}, body: {} }, 'id'), String(status)).to.throw(ProviderError);
  });

  it('is an acceptance with an id of 998 characters', () => {
    const longest = 'x'.repeat(998);
    expect(accepted(vendor, { status: 200, headers: {}, body: {} }, longest)).to.equal(longest);
  });

  const waits: { name: string; headers: Record<string, string>; resetHeader?: string; seconds: number }[] = [
    { name: 'seconds', headers: { 'retry-after': '7' }, seconds: 7 },
    { name: 'at least one second', headers: { 'retry-after': '0' }, seconds: 1 },
    { name: 'at most a day', headers: { 'retry-after': '9999999' }, seconds: 86400 },
    { name: 'a date', headers: { 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' }, seconds: 90 },
    { name: 'a date that is over', headers: { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, seconds: 1 },
    { name: 'rubbish', headers: { 'retry-after': 'soon' }, seconds: 60 },
    { name: 'less than nothing', headers: { 'retry-after': '-5' }, seconds: 60 },
    { name: 'a fraction', headers: { 'retry-after': '1.5' }, seconds: 60 },
    { name: 'an age', headers: { 'retry-after': '9'.repeat(20) }, seconds: 86400 },
    { name: 'more than anybody would write', headers: { 'retry-after': '9'.repeat(65) }, seconds: 60 },
    { name: 'as much as can be seconds', headers: { 'retry-after': '1000000000' }, seconds: 86400 },
    { name: 'more seconds than that', headers: { 'retry-after': '1000000001' }, seconds: 86400 },
    { name: 'a date without a zone', headers: { 'retry-after': 'Sat, 21 Nov 2026 12:01:30' }, seconds: 60 },
    { name: 'nothing', headers: {}, seconds: 60 },
    { name: 'a reset in seconds', headers: { reset: '3' }, resetHeader: 'reset', seconds: 3 },
    { name: 'a reset since 1970', headers: { reset: String(now / 1000 + 42) }, resetHeader: 'reset', seconds: 42 },
    {
      name: 'Retry-After before a reset',
      headers: { reset: '3', 'retry-after': '5' },
      resetHeader: 'reset',
      seconds: 5,
    },
    { name: 'no reset it does not document', headers: { reset: '3' }, seconds: 60 },
  ];
  for (const { name, headers, resetHeader, seconds } of waits)
    it(`says when to come again: ${name}`, () => {
      const error = refusal(
        { title: 'Acme', credentials: '`api_key`', ...(resetHeader ? { resetHeader } : {}) },
        { status: 429, headers, body: {} },
        now,
      );
      expect(error.retry_after).to.equal(seconds);
    });
});
