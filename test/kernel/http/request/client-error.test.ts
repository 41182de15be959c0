import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { answerClientError } from '../../../../kernel/http/request/client-error.ts';
import { problemTable } from '../../../../kernel/problem-table.ts';
import type { HttpOptions } from '../../../../kernel/http/request/site.ts';
import { until } from '../../../helpers/until.ts';

describe('a connection without a request', () => {
  // What is asked of the options here.
  const options = {
    ...{ ids: () => 'req_1', publicUrl: 'http://orb.test' },
    problems: problemTable([]),
  } as unknown as HttpOptions;

  it('is closed for good soon after its answer, though the client never closes its half', async () => {
    let said = '';
    const socket = new Duplex({
      autoDestroy: false,
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        said += chunk.toString();
        done();
      },
    });
    answerClientError(options, new Error('no HTTP'), socket);
    await until(
      () => socket.destroyed,
      (destroyed) => destroyed,
    );
    expect(said).to.match(/^HTTP\/1\.1 400 /);
  });

  it('that was reset is closed without an answer', () => {
    const socket = new Duplex({ read: () => undefined, write: () => expect.fail('written') });
    answerClientError(options, Object.assign(new Error('gone'), { code: 'ECONNRESET' }), socket);
    expect(socket.destroyed).to.equal(true);
  });
});
