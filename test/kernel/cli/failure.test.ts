import { expect } from 'chai';
import { ClientError } from '../../../kernel/cli/command/client.ts';
import { failureLine } from '../../../kernel/cli/failure.ts';

const denied = {
  code: 'access_denied',
  request_id: 'req_1',
  reasons: [
    { code: 'blocked_recipient', policy: 'mail_rules', message: 'no mail to blocked.example' },
    { code: 'no_decision' },
  ],
};

describe('the line of a command that failed', () => {
  const line = (problem: Readonly<Record<string, unknown>>): string =>
    failureLine(new ClientError('the policy denied the action', 403, problem));

  it('gives every reason of a denial, with its policy', () => {
    expect(line(denied)).to.equal(
      'the policy denied the action; reason: blocked_recipient: no mail to blocked.example (policy mail_rules); ' +
        'reason: no_decision (access_denied, request req_1)',
    );
  });

  it('gives the reason of a rejection', () => {
    expect(line({ code: 'provider_rejected', provider_reason: 'recipient_gone', request_id: 'req_3' })).to.equal(
      'the policy denied the action (provider_rejected: recipient_gone, request req_3)',
    );
  });

  it('gives every fault of a body, and hides no character from a terminal', () => {
    const errors = [{ pointer: '#/inputs/to', detail: 'is required\u001b[2J' }];
    expect(line({ code: 'invalid_inputs', request_id: 'req_2', errors })).to.equal(
      'the policy denied the action: #/inputs/to is required [2J (invalid_inputs, request req_2)',
    );
  });
});
