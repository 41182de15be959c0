import { ownEvent, type AlertEvent } from '../model/event.ts';
import { newest } from '../store/reading.ts';
import type { AskScope, IncidentScope } from '../store/scope.ts';
import { createReports } from './reports.ts';
import { type DefinitionChanged, definitionChanged } from '../../../runtime/contract.ts';

/**
 * Opens an incident of a provider when it defines the tool of an Orb otherwise than the Orb's manifest, or no longer
 * offers it, and closes the incident when no Orb is concerned any more.
 */
export function watchDefinitions({ ask, hooks, log, reads }: AskScope) {
  const reports = createReports<DefinitionChanged>(
    async (definition) => (await isNews(definition, reads)) && ask({ kind: 'definition', definition }),
    (err) => log.warn({ err }, 'the server could not record the changed definition of a tool; it tries again'),
  );
  hooks.of(definitionChanged).tap('incidents', (event) => reports.note(event.orb_id, event));
  return reports;
}

/** Makes the event of a changed definition; undefined when it is recorded already, as by another node that saw the same. */
export async function definitionEvent(definition: DefinitionChanged, { ids, reads }: IncidentScope) {
  if (!(await isNews(definition, reads))) return undefined;
  const { at, provider } = definition;
  return ownEvent(ids, {
    ...{ fingerprint: fingerprintOf(definition), key: `definition:${provider}`, occurred_ms: Date.parse(at) },
    state: stateOf(definition),
    severity: 'high',
    scope: [{ kind: 'provider', id: provider }],
    rule: 'definition',
    vendor: 'platform',
    title: titleOf(definition),
  });
}

async function isNews(definition: DefinitionChanged, reads: AskScope['reads']): Promise<boolean> {
  const last = newest(await reads.events(fingerprintOf(definition)));
  if (stateOf(definition) === 'resolved') return last?.state === 'firing';
  return last?.state !== 'firing' || last.title !== titleOf(definition);
}

function fingerprintOf({ orb_id }: DefinitionChanged): string {
  return `definition:${orb_id}`;
}

function stateOf({ state }: DefinitionChanged): AlertEvent['state'] {
  return state === 'changed' || state === 'gone' ? 'firing' : 'resolved';
}

function titleOf({ orb_id, tool, provider, state, definition_digest, found_digest }: DefinitionChanged): string {
  if (state === 'gone') return `${provider} no longer offers the tool ${tool} of ${orb_id} (${definition_digest})`;
  const found = found_digest ?? 'none';
  return `${provider} defines the tool ${tool} of ${orb_id} otherwise: ${found}, not ${definition_digest}`;
}
