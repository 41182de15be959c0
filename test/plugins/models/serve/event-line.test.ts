import { expect } from 'chai';
import { EventLine } from '../../../../plugins/models/serve/event-line.ts';

const quiet = { keepalive: ': wait\n\n', keepaliveMs: 60_000 };

async function all(line: EventLine): Promise<string> {
  let text = '';
  for await (const piece of line.read()) text += piece;
  return text;
}

describe('a line of events', () => {
  it('yields what was added before and while it is read, and ends', async () => {
    const line = new EventLine(quiet);
    void line.push('a');
    void line.push('b');
    const read = all(line);
    await Promise.resolve();
    void line.push('c');
    line.end('d');
    void line.push('too late');
    expect(await read).to.equal('abcd');
  });

  it('fails after its last event when it is cut', async () => {
    const line = new EventLine(quiet);
    line.cut('error');
    let text = '';
    try {
      for await (const piece of line.read()) text += piece;
    } catch (error) {
      expect([text, (error as Error).message]).to.deep.equal(['error', 'the run of this stream failed']);
      return;
    }
    expect.fail('it ended');
  });

  it('makes the run wait while its client has too much to read', async () => {
    const line = new EventLine(quiet);
    expect(line.push('x'.repeat(200_000))).to.equal(undefined);
    const waits = line.push('x'.repeat(100_000));
    expect(waits).to.be.instanceOf(Promise);
    const reader = line.read()[Symbol.asyncIterator]();
    expect((await reader.next()).value).to.have.length(300_000);
    await waits;
    expect(line.push('y')).to.equal(undefined);
    await reader.return?.();
  });

  it('lets the run go on when its client leaves', async () => {
    const line = new EventLine(quiet);
    const waits = line.push('x'.repeat(300_000));
    const reader = line.read()[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    await waits;
    expect(line.push('y'.repeat(300_000))).to.equal(undefined);
  });

  it('sends something while nothing is emitted', async () => {
    const line = new EventLine({ ...quiet, keepaliveMs: 1 });
    const reader = line.read()[Symbol.asyncIterator]();
    expect((await reader.next()).value).to.equal(quiet.keepalive);
    await reader.return?.();
  });
});
