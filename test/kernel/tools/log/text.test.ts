import { expect } from 'chai';
import { createLog } from '../../../../kernel/tools/log.ts';
import { textLine } from '../../../../kernel/tools/log.ts';

/** What a log that is read by people shows. */
function shown(tell: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  tell(createLog('debug', (line) => (text += textLine(line))));
  return text.replace(/^\S+Z /gm, '<time> ');
}

describe('a line of the log as text', () => {
  it('begins with time, level and message; then come the fields', () => {
    const request = { method: 'GET', route: '/runs/{run_id}', status: 200, ms: 1.5, request_id: 'req_1' };
    const absent = { principal: undefined, run_id: undefined, tenant: undefined };
    expect(shown((log) => log.answered({ ...request, ...absent }))).to.equal(
      '<time> INFO  request method=GET route=/runs/{run_id} status=200 ms=1.5 request_id=req_1\n',
    );
    expect(shown((log) => log.child({ plugin: 'a b' }).warn({ found: [1, null] }, 'something'))).to.equal(
      '<time> WARN  something plugin="a b" found=[1,null]\n',
    );
  });

  it('shows the stack of an error below it, and no secret', () => {
    const text = shown((log) => log.error({ err: new Error('it broke'), token: 'hunter2' }, 'failed'));
    expect(text).to.match(/^<time> ERROR failed token="\[redacted\]"\n {4}Error: it broke\n {4}at .+text\.test/);
    expect(text).to.not.include('hunter2');
  });

  it('passes no control character on to the terminal', () => {
    const text = shown((log) => log.error({ err: new Error('a\u001b[2Jb\nc\u202ed'), x: '\u009b1m' }, 'failed'));
    expect(text).to.match(/^[^\p{Cc}\p{Cf}]*$/mu);
    expect([...text].filter((character) => /[\p{Cc}\p{Cf}]/u.test(character) && character !== '\n')).to.deep.equal([]);
  });
});
