import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailOf } from '../../helpers/cluster.ts';
import { send } from '../../helpers/http.ts';

// A policy of its own, outside the tree: the group `office` is asked about each mail until one of them has approved it.
const asker = `
export default (api) => api.definePlugin({
  name: 'asker',
  start({ hooks }) {
    hooks.authorize.tap('asker', ({ resource, context }) => {
      const rest = { decision_id: context.decision_id, policies: ['mail'], warns: 0, shadow_denies: 0 };
      if (resource.id !== 'notify.email@1.0.0' || (context.approvals ?? []).length > 0) return { allow: true, ...rest };
      const ask = { code: 'mail', message: 'a mail', approvers: 'office', of: 1, expires_s: 3600, bind: 'inputs', policies: ['mail'] };
      return { allow: false, ...rest, reasons: [], asks: [ask] };
    });
    return {};
  },
});
`;

/** What a platform has whose policy is the one of `writeAsker`. */
export const askingPlatform = {
  authorize: 'asker',
  plugins: { asker: { from: './ext/asker.ts' } },
} as const;

/** Writes the policy into a home; `orb`: the one about whose runs it asks. */
export function writeAsker(home: string, orb = 'notify.email@1.0.0'): void {
  mkdirSync(join(home, 'ext'));
  writeFileSync(join(home, 'ext/asker.ts'), asker.replace('notify.email@1.0.0', orb));
}

/** Keys of one who asks and of the two members of `office`. */
export interface Staff {
  readonly agent: string;
  readonly members: readonly string[];
  readonly principals: readonly string[];
}

/** Makes the keys; the members are in no group until `writeOffice`. */
export async function makeStaff(url: string, admin: string): Promise<Staff> {
  const scopes = ['orbs:execute', 'runs:read', 'receipts:read', 'runs:approve'];
  const made: { readonly key?: string; readonly principal?: string }[] = [];
  for (const name of ['agent', 'ada', 'bob'])
    made.push((await send(url, '/keys', { key: admin, json: { name, scopes } })).json);
  const [agent = '', ...members] = made.map(({ key = '' }) => key);
  return { agent, members, principals: made.slice(1).map(({ principal = '' }) => principal) };
}

/** Writes the members into the settings of a home, which its server reads when it starts. */
export function writeOffice(home: string, { principals }: Staff): void {
  const file = join(home, 'data/platform.json');
  const platform = JSON.parse(readFileSync(file, 'utf8')) as { plugins: Record<string, object> };
  platform.plugins['approvals'] = { config: { groups: { office: principals }, open_per_group: 10_000 } };
  writeFileSync(file, JSON.stringify(platform));
}

/** An answer, or that none came. */
export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Calls a server that may be killed meanwhile: status 0 if there was no answer. */
export async function reach(url: string, path: string, key: string, body?: object): Promise<Reply> {
  try {
    const answer = await fetch(url + path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  } catch {
    return { status: 0, body: {} };
  }
}

/** One mail that was held, by its subject, and what people said of it. */
export interface HeldMail {
  readonly token: string;
  readonly run_id: string;
  readonly approval_id: string;
  /** A decision to approve, or to refuse, was sent. */
  sent?: 'approve' | 'refuse';
  /** That was answered with 200. */
  taken?: boolean;
}

/** Asks for a mail; undefined unless it was answered that it is held. */
export async function askForMail(url: string, { agent }: Staff, token: string): Promise<HeldMail | undefined> {
  const { status, body } = await reach(url, '/orbisets/default/execute', agent, mailOf(token));
  if (status !== 202) return undefined;
  return { token, run_id: String(body['run_id']), approval_id: (body['approval'] as { id: string }).id };
}

/** Looks at a held mail and decides on what was shown. */
export async function decideMail(
  url: string,
  member: string,
  { mail, decision }: { readonly mail: HeldMail; readonly decision: 'approve' | 'refuse' },
): Promise<Reply> {
  const { status, body } = await reach(url, `/approvals/${mail.approval_id}`, member);
  if (status !== 200) return { status, body };
  mail.sent = decision;
  const reply = await reach(url, `/approvals/${mail.approval_id}/decision`, member, {
    decision,
    digest: body['digest'],
  });
  if (reply.status === 200) mail.taken = true;
  return reply;
}
