import { timestamp, withoutUnseen } from '../../kernel/index.ts';
import type { Cause } from './causes.ts';
import type { DueSubject } from './store.ts';

/** What a message says, for the places in the inputs of its Orb. */
export interface Words {
  readonly subject: string;
  readonly summary: string;
  readonly count: string;
  readonly url: string;
}

const longestTitle = 80;
const longestDetail = 300;
const longestSummary = 1000;
const mostLines = 10;

/** Words as long as those of a message can be, with all that they can have. */
export const longestWords: Words = {
  subject: 'x'.repeat(longestTitle + 60),
  summary: `x\n${'x'.repeat(longestSummary - 2)}`,
  count: '1000000',
  url: `https://orb.example/${'x'.repeat(230)}`,
};

const titles: Readonly<Record<Cause, string>> = {
  incident_opened: 'Incident opened',
  incident_closed: 'Incident closed',
  provider_down: 'Provider down',
  provider_recovered: 'Provider recovered',
  key_expiring: 'API key expires soon',
  certificate_expiring: 'Certificate expires soon',
  policy_faulty: 'Policy has a fault',
  approval_waiting: 'Approval waiting',
};

/** Writes one message about some subjects; `urlOf` finds the page that shows one, by its path, or all. */
export function wordsOf(cause: Cause, subjects: readonly DueSubject[], urlOf: (path: string) => string): Words {
  const [first] = subjects;
  const rest = subjects.length - 1;
  const others = rest > 0 ? ` and ${rest} other${rest > 1 ? 's' : ''}` : '';
  const lines = subjects.slice(0, mostLines).map(({ detail, pending, since }) => {
    return pending > 1 ? `${detail} (${pending} times since ${timestamp(since)})` : detail;
  });
  const left = subjects.length - lines.length;
  return {
    subject: `${titles[cause]}: ${first?.title ?? ''}${others}`,
    summary: bounded([...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n'), longestSummary),
    count: String(subjects.reduce((sum, { pending }) => sum + pending, 0)),
    url: urlOf(rest > 0 ? '' : (first?.path ?? '')),
  };
}

/** Makes a title of a text that others may have written: one line without invisible characters, of bounded length. */
export function titleText(text: string): string {
  return bounded(oneLine(text), longestTitle);
}

/** Makes a line of a summary in the same way. */
export function detailText(text: string): string {
  return bounded(oneLine(text), longestDetail);
}

function oneLine(text: string): string {
  return withoutUnseen(text.replace(/\s+/g, ' ')).trim();
}

function bounded(text: string, most: number): string {
  // Half of a pair of surrogates is no character.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Puts the words into the texts of inputs, names excepted; a text that comes from a word is not looked at again. */
export function filled<T>(inputs: T, words: Words): T;
export function filled(inputs: unknown, words: Words): unknown {
  if (typeof inputs === 'string')
    return inputs.replace(/\{(subject|summary|count|url)\}/g, (_, name: keyof Words) => words[name]);
  if (Array.isArray(inputs)) return inputs.map((one) => filled(one as unknown, words));
  if (typeof inputs !== 'object' || inputs === null) return inputs;
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, filled(value as unknown, words)]));
}
