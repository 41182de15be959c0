import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { compilerOrSkip } from '../../plugins/policy/compiler.ts';
import { startPolicyHome, type PolicyHome } from '../../plugins/policy/home.ts';

const folder = join(packageDir, 'providers/sms/policies');
const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** Refuses what `context.parsed` proves, so that a test sees each member of it. */
const reading = `package orb.policies.reading

deny contains $"seen {input.context.parsed.to.country} {input.context.parsed.text.encoding}" if {
	input.action.name == "execute"
	input.context.inputs.from == "seen"
}
`;

const rows: readonly [why: string, given: object, answer: string][] = [
  ['a short text to Germany', {}, 'completed'],
  ['a text to Austria', { to: '+436641234567' }, 'completed'],
  ['a text to Switzerland', { to: '+41791234567' }, 'access_denied'],
  ['a text to a satellite telephone', { to: '+8821612345678' }, 'access_denied'],
  ['two segments', { text: 'a'.repeat(306) }, 'completed'],
  ['three segments', { text: 'a'.repeat(307) }, 'access_denied'],
  ['one apostrophe that makes three segments of two', { text: `${'a'.repeat(134)}’` }, 'access_denied'],
  ['more segments than the caller wants, without a question', { text: 'a'.repeat(161), max_segments: 1 }, 'rejected'],
  ['a text that is not of GSM, without a question', { text: '’', encoding: 'gsm7' }, 'rejected'],
];

describe('the example policy for text messages', () => {
  let home: PolicyHome;
  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome(
      { ...files, 'reading.rego': reading },
      { platform: { providers: { outbox: { adapter: 'sms/outbox' } } } },
    );
    await home.until('the files are in force', ({ policies }) => policies === 5);
  });
  after(() => home?.platform.stop());

  const execute = async (given: object) =>
    (
      await home.platform.call('POST', '/orbisets/default/execute', {
        orb_id: 'notify.sms@1.0.0',
        inputs: { to: '+4915123456789', text: 'Hello', ...given },
      })
    ).body;

  it('passes its own tests', async () => {
    const { body } = await home.platform.call('GET', '/policies/-/status');
    expect(JSON.stringify(body)).not.to.contain('test_failed');
    expect(Object.keys(files).sort()).to.deep.equal(['text_messages.rego', 'text_messages_test.rego']);
  });

  for (const [why, given, answer] of rows)
    it(`decides on ${why}: ${answer}`, async () => {
      const { code = 'completed', provider_reason } = await execute(given);
      const said = code === 'provider_rejected' ? 'rejected' : code;
      expect(said).to.equal(answer);
      const reasons = { content_too_long: 'max_segments' in given, content_refused: 'encoding' in given };
      if (answer === 'rejected')
        expect(reasons[provider_reason as keyof typeof reasons], provider_reason).to.equal(true);
    });

  it('sees the country and what the text costs', async () => {
    const { reasons } = await execute({ from: 'seen', text: '’' });
    expect(JSON.stringify(reasons)).to.contain('seen DE ucs2');
  });

  it('is shown in a preview', async () => {
    const inputs = { to: '+41791234567', text: 'Hello' };
    const asked = { orb_id: 'notify.sms@1.0.0', inputs };
    const { body: found } = await home.platform.call('POST', '/orbisets/default/preview', asked);
    expect(JSON.stringify(found)).to.contain('listed countries');
  });
});
