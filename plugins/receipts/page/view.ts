import { demonstrationNote } from '../format/names.ts';
import type { Check, Report } from '../verifier/report.ts';
import type { Trust } from '../verifier/trust.ts';
import type { PageDocument, PageElement } from './dom.ts';
import { meanings, overallMeaning, resultWords, valueNames } from './words.ts';

/** A file name with the result of verifying the file. */
export interface Shown {
  readonly name: string;
  readonly report: Omit<Report, 'place'>;
}

/**
 * Makes what writes to the document that `verifyPage` made. Everything is inserted as text; file content is never
 * interpreted as markup.
 */
export function createView(document: PageDocument) {
  const make = maker(document);
  const results = document.getElementById('results');
  const put = (...parts: PageElement[]): void => results?.replaceChildren(...parts);
  return {
    showReports(reports: readonly Shown[]): void {
      put(...reports.map((shown) => reportCard(shown, make)));
      results?.focus();
    },
    /** Shows that a proof came without a receipt. */
    showAlone: () => put(make('p', 'note', 'A proof cannot be checked without its receipt. Drop both files together.')),
    /** Shows a sentence in place of a result. */
    showNote(text: string): void {
      put(make('p', 'note', plain(text)));
      results?.focus();
    },
    showFailure: () => put(make('p', 'note note-bad', 'The files could not be read.')),
    /** `from`: name of the file with the keys; undefined: the keys came with the page. */
    showTrust(trust: Trust, from: string | undefined): void {
      const source = document.getElementById('trust-source');
      if (source !== null)
        source.textContent =
          from === undefined
            ? 'Trusted: the keys that this page was served with.'
            : `Trusted: the keys of the file ${plain(from)}, which you added.`;
      const reset = document.getElementById('own-keys');
      if (reset !== null) reset.hidden = from === undefined;
      document.getElementById('trust-list')?.replaceChildren(...trustRows(trust, make));
    },
  };
}

type Make = (name: string, className: string, ...parts: (PageElement | string)[]) => PageElement;

function maker(document: PageDocument): Make {
  return (name, className, ...parts) => {
    const element = document.createElement(name);
    if (className !== '') element.className = className;
    element.append(...parts);
    return element;
  };
}

const tones = {
  VERIFIED: 'good',
  'VERIFIED-WITH-LIMITS': 'warn',
  REJECTED: 'bad',
  'NOTHING-TO-VERIFY': 'none',
} as const;

function reportCard({ name, report }: Shown, make: Make): PageElement {
  const { checks, hint, limits, overall, values } = report;
  const card = make('section', `panel stack result result-${tones[overall]}`);
  card.append(
    make('p', 'file muted small', plain(name)),
    make('h2', 'overall', overall),
    make('p', '', overallMeaning[overall]),
  );
  if (hint !== undefined) card.append(make('p', 'note', plain(hint)));
  const reasons = [...limits.map(plain), ...(overall === 'REJECTED' ? checks.flatMap(reasonOf) : [])];
  if (reasons.length > 0) card.append(make('ul', 'limits', ...reasons.map((reason) => make('li', '', reason))));
  const simulated = values && demonstrationNote(values);
  if (simulated !== undefined) card.append(make('p', 'note note-warn', simulated));
  if (values !== undefined) card.append(make('h3', '', 'What was signed'), valueList(values, make));
  if (checks.length > 0)
    card.append(
      make('h3', '', 'What was checked'),
      make('ul', 'checks', ...checks.map((check) => checkRow(check, make))),
    );
  return card;
}

function valueList(values: NonNullable<Report['values']>, make: Make): PageElement {
  const rows = Object.entries(values).flatMap(([name, value]) => [
    make('dt', '', valueNames[name] ?? name),
    make('dd', '', plain(String(value))),
  ]);
  return make('dl', 'facts', ...rows);
}

function checkRow({ detail, name, result }: Check, make: Make): PageElement {
  const row = make('li', `check check-${result}`);
  row.append(
    make('span', 'mark', resultWords[result]),
    make('span', 'what', meanings[name], ' ', make('code', '', name)),
  );
  if (detail !== undefined) row.append(make('span', 'detail', plain(detail)));
  return row;
}

function trustRows({ keys, policy }: Trust, make: Make): PageElement[] {
  const shown = keys.map(({ kid, origin, revoked, role }) =>
    make(
      'li',
      '',
      `${plain(role)} key ${revoked ? '(revoked) ' : ''}`,
      make('code', '', plain(kid)),
      plain(origin === undefined ? '' : ` of ${origin}`),
    ),
  );
  const witnesses = [...(policy?.witnesses.keys() ?? [])].map((name) => make('li', '', `witness ${plain(name)}`));
  return shown.length + witnesses.length === 0 ? [make('li', '', 'none')] : [...shown, ...witnesses];
}

// When a check failed, show only failures, not the checks that a failure made impossible.
function reasonOf({ detail, name, result }: Check, _at: number, all: readonly Check[]): string[] {
  const failed = all.some((check) => check.result === 'fail');
  const told = failed ? result === 'fail' : result === 'not_checked';
  return told
    ? [`${meanings[name]}: ${resultWords[result].toLowerCase()}${detail === undefined ? '' : `; ${plain(detail)}`}`]
    : [];
}

// Control and direction characters could make a text look like another.
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\ufffd');
}
