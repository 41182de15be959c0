import type { ComponentChildren } from 'preact';
import type { OtherStatement, RunStatement } from '../../frame/wire.ts';
import { isOfRun, runStates } from '../runs/run.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { IdLink, placeOf } from '../../parts/id-link.ts';
import { Facts, Id } from '../../parts/table.ts';
import { durationOf, Time } from '../../parts/time.ts';

type Fact = readonly [name: string, value: ComponentChildren];

const nonClaims: Readonly<Record<string, string>> = {
  inputs_true: 'that the inputs are true',
  provider_honest: 'that the provider told the truth',
  act_wise: 'that the action was a good idea',
  clock_exact: 'that the clock of the server is exact',
};

/** Shows what a receipt attests, in words, and what it does not attest. */
export function Attested({ of: statement }: { readonly of: RunStatement | OtherStatement }) {
  const { issuer, non_claims } = statement.predicate;
  return html`<section class="panel stack">
    <h2>What it attests</h2>
    <p>${isOfRun(statement) ? html`<${RunWords} of=${statement} />` : sentenceOf(statement)}</p>
    <${Facts} of=${isOfRun(statement) ? factsOfRun(statement) : factsOf(statement)} />
    <h3>Who attests it</h3>
    <${Facts}
      of=${[
        ['Installation', html`<code>${issuer.installation}</code>`],
        ['Signing key', html`<code>${issuer.kid}</code>`],
        ['Version', issuer.version],
      ]}
    />
    <p class="muted">
      It does not attest ${non_claims.map((claim) => nonClaims[claim] ?? claim.replaceAll('_', ' ')).join('; ')}.
    </p>
  </section>`;
}

function RunWords({ of: { predicate } }: { readonly of: RunStatement }) {
  const { orb_id, orbiset_id, status, mode, execution_ms, facts } = predicate;
  const { provider, attempts, policy } = facts;
  const decided = { allow: 'Policies allowed it', deny: 'Policies denied it', none: 'No policy decided on it' }[
    policy.decision
  ];
  const by = policy.policies.length === 0 ? '' : ` (${policy.policies.join(', ')})`;
  const tried = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  const more = [
    ` ${runStates[status]} ${decided}${by}.`,
    provider && ` The provider was ${provider.name}, after ${tried}.`,
    ` It took ${durationOf(execution_ms)}.`,
    mode === 'sandbox' && ' It ran in the sandbox: no data left the server.',
  ];
  const ended = status.replaceAll('_', ' ');
  return html`A run of the Orb <strong>${orb_id}</strong> in the Orbiset <strong>${orbiset_id}</strong> ended as
    <strong> ${ended}</strong>.${more}`;
}

function factsOfRun({ predicate }: RunStatement): readonly Fact[] {
  const { run_id, facts, reason, sequence, started_at, finished_at, tenant } = predicate;
  const { action, approval, channel, cost, data, inputs, outputs, model, policy, principal } = facts;
  return [
    ['Run', idLink(run_id)],
    ['Caller', html`<${Id} id=${principal} href=${hrefOf('/runs', { principal })} />`],
    ['Tenant', tenant],
    ['Reason', reason?.replaceAll('_', ' ')],
    ['Decision', policy.decision_id && idLink(policy.decision_id)],
    ['Approval', approval && idLink(approval.approval_id)],
    ['Action', `${action.class}, effect: ${action.effect}`],
    ['Classes of data', data.classes.join(', ') || 'not declared'],
    ['Model', model && (model.answered ?? model.sent ?? model.asked)],
    [
      'Cost',
      cost && `${(cost.amount_nanos / 1e9).toLocaleString('en', { maximumFractionDigits: 9 })} ${cost.currency}`,
    ],
    ['Called by', channel && [channel.kind, channel.client?.name].filter(Boolean).join(', ')],
    ['Started', html`<${Time} at=${started_at} both />`],
    ['Ended', html`<${Time} at=${finished_at} both />`],
    ['Inputs', committed(inputs)],
    ['Outputs', outputs && committed(outputs)],
    ['Number in the Orbiset', String(sequence)],
  ];
}

// The receipt has digests of the values, and not the values.
const committed = ({ commitment, size }: { readonly commitment: string; readonly size: number }) =>
  html`${size} bytes, as a salted digest: <code>${commitment}</code>`;

const sentences: Readonly<Record<string, (fact: (name: string) => string) => string>> = {
  swap: (fact) =>
    `The provider of the Orb ${fact('orb_id')} was changed${fact('from') && ` from ${fact('from')}`} to ${fact('to')}: ${fact('state')}.`,
  resolution: (fact) =>
    `The outcome of a run was unknown. Now it is known: it ${fact('outcome') === 'sent' ? 'took effect' : 'did not take effect'}. An earlier receipt has the run.`,
  key: (fact) => `A key that signs ${fact('role') === 'log' ? 'the log' : `${fact('role')}s`} was ${fact('change')}.`,
  approval: (fact) => `A person decided on a run that waited: ${fact('decision')}.`,
  incident: (fact) => `An incident was ${fact('change')}: ${fact('severity')}, ${fact('state')}.`,
  provider: (fact) => `The provider ${fact('provider')} was ${fact('change')}.`,
  order: (fact) => `The order of the providers of the Orb ${fact('orb_id')} was ${fact('change')}.`,
  namespace: (fact) => `The namespace ${fact('namespace')} was ${fact('change')}.`,
  standing: (fact) =>
    fact('change') === 'snapshot'
      ? `The reputation of all Orbs on ${fact('day')} was fixed.`
      : `The Orb ${fact('orb_id')} was ${fact('change')}.`,
};

/** Names the kind of a statement. */
export const kindOf = ({ predicateType }: Pick<OtherStatement, 'predicateType'>): string =>
  predicateType.split(':')[2] ?? predicateType;

function sentenceOf(statement: OtherStatement): string {
  const { predicate } = statement;
  const fact = (name: string): string => {
    const value = predicate.facts[name] ?? predicate[name];
    return typeof value === 'string' ? value : '';
  };
  return sentences[kindOf(statement)]?.(fact) ?? `A change of the kind “${kindOf(statement)}”.`;
}

const elsewhere = new Set(['facts', 'issuer', 'log', 'non_claims', 'receipt_id', 'at']);

function factsOf({ predicate }: OtherStatement): readonly Fact[] {
  const own = Object.entries(predicate).filter(([name]) => !elsewhere.has(name));
  return [
    ['When', html`<${Time} at=${predicate.at} both />`],
    ...[...own, ...Object.entries(predicate.facts)].map(
      ([name, value]) => [(name[0] ?? '').toUpperCase() + name.slice(1).replaceAll('_', ' '), shown(value)] as const,
    ),
  ];
}

function shown(value: unknown): ComponentChildren {
  if (typeof value !== 'string') return html`<code>${JSON.stringify(value)}</code>`;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return html`<${Time} at=${value} both />`;
  return idLink(value);
}

/** Shows an id as a link to its screen, and other text as it is. */
export function idLink(text: string): ComponentChildren {
  return placeOf(text) === undefined ? text : html`<${IdLink} id=${text} />`;
}
