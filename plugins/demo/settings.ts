import type { Vendors } from './vendors.ts';

/** The sentence at the top of every page. */
export const notice = 'Demonstration: everything on this server is simulated, and nothing of it has happened.';

/** File of the home with the secret of all vendors, which are simulated too. */
export const secretFile = 'data/demo-secret.txt';

const secret = { $file: secretFile };
const sms = `AC${'0'.repeat(32)}`;

type Urls = Vendors['urls'];

/** Makes the settings of the server. `office`: the principals who approve runs; absent: there is no such group yet. */
export function settingsOf({ urls }: Pick<Vendors, 'urls'>, office?: readonly string[]): object {
  return {
    site: { name: 'Demonstration', notice },
    providers: providersOf(urls),
    bindings: {
      'notify.email@1.0.0': ['postmark-eu', 'resend', 'mail-outbox'],
      'shop.order-mail@1.2.0': ['resend', 'postmark-eu', 'mail-outbox'],
      'shop.newsletter@0.9.0': ['postmark-eu', 'mail-outbox'],
    },
    plugins: {
      policy: { config: { build_compiler: false } },
      approvals: { config: office === undefined ? {} : { groups: { office } } },
      observability: { config: { heartbeat_s: 3000 } },
      subscriptions: { config: { private_hosts: [hostOf(urls.shop)] } },
      budgets: { config: { budgets } },
      alerts: { config: { alerts } },
    },
  };
}

const budgets = [
  { scope: 'tenant', per: 'month', nanos: 5_000_000_000 },
  { scope: 'key', per: 'day', tokens: 60_000 },
];

const alerts = ['provider_down', 'incident_opened'].map((when) => ({
  ...{ when, orb_id: 'notify.chat@1.0.0' },
  inputs: { channel: 'ops', text: '{subject}: {summary}' },
}));

function hostOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname: host, port } = new URL(url);
  return { host, port: Number(port) };
}

function providersOf(urls: Urls): object {
  const model = (name: string) => ({ name, max_output_tokens: 800 });
  const models = { 'assistant-large': model('demo-large'), 'assistant-small': model('demo-small') };
  const account = { account_sid: sms, key_sid: sms, key_secret: secret };
  const using = (adapter: string, config: object) => ({ adapter, config });
  return {
    'postmark-eu': using('email/postmark', { server_token: secret, base_url: urls.postmark }),
    resend: using('email/resend', { api_key: secret, base_url: urls.resend }),
    'mail-outbox': { adapter: 'email/outbox' },
    twilio: using('sms/twilio', { ...account, base_url: urls.twilio, senders: { default: '+4915100000000' } }),
    'sms-outbox': { adapter: 'sms/outbox' },
    slack: using('chat/slack', { bot_token: secret, base_url: urls.slack, channels: { ops: 'C0DEMO00001' } }),
    'chat-outbox': { adapter: 'chat/outbox' },
    ntfy: using('push/ntfy', { token: secret, base_url: urls.ntfy }),
    'push-outbox': { adapter: 'push/outbox' },
    warehouse: using('http/client', { allow: [{ ...hostOf(urls.shop), private: true }] }),
    'models-eu': using('llm/openai-compatible', { api_key: secret, base_url: `${urls.models}/v1`, models }),
    canned: { adapter: 'llm/canned' },
    echo: { adapter: 'echo/local' },
  };
}

const price = (model: string, input: string, output: string) => ({
  ...{ adapter: 'llm/openai-compatible', model, valid_from: '2020-01-01', source: 'made up for the demonstration' },
  ...{ currency: 'USD', per_mtok: { input, output } },
});

/** Prices of the models, for the budgets. */
export const prices = {
  version: 1,
  prices: [price('demo-large', '2.50', '10.00'), price('demo-small', '0.15', '0.60')],
};

/** Policies of the demonstration, by their ids. */
export const policies: Readonly<Record<string, string>> = {
  no_bulk_mail: `# METADATA
# title: No bulk mail
# description: A mail to more than five recipients needs a mailing list.
# custom:
#   owner: office
#   severity: warning
package orb.policies.no_bulk_mail

deny contains "a mail may have at most five recipients" if {
	input.action.name == "execute"
	input.resource.capability == "email"
	count(input.context.parsed.to) > 5
}
`,
  outside_mail: `# METADATA
# title: Mail to an address outside our domains needs an approval
# description: The office is asked before a mail goes to a domain that is not ours.
# custom:
#   owner: office
#   severity: high
package orb.policies.outside_mail

domains := {"example.com", "example.org"}

ask contains {
	"code": "mail_outside",
	"message": $"the mail goes to {concat(", ", sort(outside))}",
	"approvers": "office",
} if {
	input.action.name == "execute"
	input.resource.capability == "email"
	count(outside) > 0
}

outside contains mailbox.domain if {
	some mailbox in input.context.parsed.to
	not mailbox.domain in domains
}
`,
};

const nightly = (test: string): string => `# METADATA
# title: No text messages at night
package orb.policies.no_night_texts

deny contains "there are no text messages at night" if {
	input.action.name == "execute"
	input.resource.capability == "sms"
	[hour, _, _] := time.clock(time.parse_rfc3339_ns(input.context.time))
	${test}
}
`;

/** The draft of a policy. */
export const draft = { source: nightly('hour < 6'), message: 'Let people sleep' };

/** A policy that somebody wrote into the folder, and that does not compile. */
export const faultyPolicy = nightly('houre < 6').replace('no_night_texts', 'no_morning_texts');
