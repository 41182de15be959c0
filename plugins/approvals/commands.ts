import { given, type Command } from '../../kernel/index.ts';
import { apiCommand, listing, optionsOf, pageOptions, record, type Shown } from '../terminal/contract.ts';
import type { Approval, ApprovalPage } from './schema.ts';

const approval = { name: 'approval_id', description: 'apr_…, as `orb approvals list` shows it' };
const one = '/approvals/{approval_id}';

const digest = {
  '--digest <digest>': 'digest of what you looked at, as `orb approvals show` prints it',
  '--comment <text>': 'words for the requester',
};

const decide = (name: string, decision: Approval['decisions'][number]['decision']): Command =>
  apiCommand<Approval>({
    path: `approvals ${name}`,
    summary: `${name} a held run, by the digest that was shown`,
    args: [approval],
    options: optionsOf(digest),
    route: `POST ${one}/decision`,
    body: ({ options: { digest: shownDigest, comment } }) => given({ decision, digest: shownDigest, comment }),
    show: shown,
  });

/** All commands of approvals. */
export const approvalCommands: readonly Command[] = [
  apiCommand<ApprovalPage>({
    path: 'approvals list',
    summary: 'list the approvals that you may decide, newest first',
    options: [
      ...pageOptions,
      ...optionsOf({
        '--state <state>': 'only those in a state: open, ended, approved, refused …',
        '--group <group>': 'only those that ask this group',
      }),
    ],
    route: 'GET /approvals',
    show: ({ approvals }) =>
      listing(
        ['APPROVAL_ID', 'STATE', 'ORB', 'REQUESTER', 'EXPIRES'],
        approvals.map(({ approval_id, state, orb_id, principal, expires_at }) => [
          ...[approval_id, state, orb_id, principal, expires_at],
        ]),
      ),
  }),
  apiCommand<Approval>({
    path: 'approvals show',
    summary: 'show what an approval is about: its inputs, and all that is bound',
    args: [approval],
    route: `GET ${one}`,
    show: shown,
  }),
  decide('approve', 'approve'),
  decide('refuse', 'refuse'),
];

function shown({ asks, bound, inputs, decisions, outcomes, similar, ...rest }: Approval): Shown {
  const { digest: shownDigest, may_decide: mayDecide, approvers: _, policies, ...about } = rest;
  return record([
    ...Object.entries(about),
    ...asks.map(({ code, message, approvers, of, approved_by }): [string, string] => [
      ...(['asks', `${code}: ${message} (${approvers}: ${approved_by.length} of ${of})`] as const),
    ]),
    ['policies', policies.join(', ')],
    ['providers', bound.providers.map(({ name }) => name).join(', ')],
    ['inputs', inputs === undefined ? 'the run is not held any more' : JSON.stringify(inputs)],
    ...decisions.map(({ principal, decision, at, comment }): [string, string] => [
      ...([decision, `${principal} at ${at}${comment === undefined ? '' : `: ${comment}`}`] as const),
    ]),
    [
      'same reasons',
      `${outcomes.approved} approved, ${outcomes.refused} refused, ${outcomes.expired} expired in the last 30 days`,
    ],
    ['similar', `${similar.approved} approved, ${similar.refused} refused`],
    ['you decide', mayDecide ? 'yes' : 'no'],
    ['digest', shownDigest],
  ]);
}
