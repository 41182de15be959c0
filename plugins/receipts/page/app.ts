/** Runs in the browser: reads dropped files, verifies them with the verifier's library, shows the results. */
import { decodeUtf8, isRecord, parseJson } from '../format/strict-json.ts';
import { parsePolicy } from '../log/pure/policy-file.ts';
import { readTrust, type Trust } from '../verifier/trust.ts';
import { malformed, type Report } from '../verifier/report.ts';
import { claimedDecisions } from '../verifier/approval.ts';
import { verify } from '../verifier/verify.ts';
import { createView } from './view.ts';
import type { PageAnswer, PageElement, PageEvent, PageFile, PageWindow } from './dom.ts';
import { sample } from './sample.ts';

// This file runs only in a browser, so `document` exists.
const { document, fetch, location } = globalThis as unknown as PageWindow;
const most = { files: 50, bytes: 1_048_576 };

const view = createView(document);
// The server writes the facts into the page, like the script.
const facts = JSON.parse(part('facts').textContent ?? '[]') as NonNullable<Trust['facts']>;
const pinned = { ...(readTrust(part('pinned').textContent ?? '') ?? { keys: [] }), facts };
let trust: Trust = pinned;
view.showTrust(trust, undefined);

const picker = part('files');
picker.addEventListener('change', () => {
  take(picker.files ?? []);
  // Cleared so that the same file can be chosen again after a correction.
  picker.value = '';
});
part('own-keys').addEventListener('click', () => {
  trust = pinned;
  view.showTrust(trust, undefined);
});
part('pasted-verify').addEventListener('click', () => {
  const text = part('pasted').value;
  if (text.trim() === '') view.showNote('Paste a receipt first.');
  else judgeTexts([{ name: 'Pasted text', text: text.length > most.bytes ? undefined : text }]);
});
part('sample').addEventListener('click', () => {
  const keys = readTrust(sample.keys);
  const report = verify(sample.envelope, { keys: [], ...keys, facts }, { proof: sample.proof });
  view.showReports([{ name: 'Sample receipt, checked with the keys of the sample', report }]);
});
// The page that looks receipts up has this form; the page that opens no connection has none.
document.getElementById('look-up')?.addEventListener('submit', (event) => {
  event.preventDefault();
  lookUp(part('receipt-id').value.trim(), part('key').value.trim()).catch(() =>
    view.showNote('The server could not be reached.'),
  );
});
// A saved page has no site around it.
if (location.protocol === 'file:')
  for (const link of document.querySelectorAll('.site-nav, .site-menu, .site-foot, .online')) link.hidden = true;
const zone = document.documentElement;
zone.addEventListener('dragover', (event) => {
  event.preventDefault();
  if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
});
zone.addEventListener('drop', (event: PageEvent) => {
  event.preventDefault();
  take(event.dataTransfer?.files ?? []);
});

function part(id: string): PageElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page lacks ${id}`);
  return element;
}

function take(files: Iterable<PageFile>): void {
  Promise.all([...files].slice(0, most.files).map(readFile))
    .then(judgeTexts)
    .catch(() => view.showFailure());
}

interface Read {
  readonly name: string;
  /** Undefined: too large, or not UTF-8. */
  readonly text: string | undefined;
}

async function lookUp(id: string, key: string): Promise<void> {
  if (id === '') return view.showNote('Enter the id of a receipt.');
  // Who types no key may be signed in to the console, whose cookie counts with this header.
  const caller =
    key === ''
      ? { headers: { 'orb-console': '1' }, credentials: 'same-origin' }
      : { headers: { authorization: `Bearer ${key}` }, credentials: 'omit' };
  const ask = (receipt: string): Promise<PageAnswer> =>
    fetch(`/receipts/${encodeURIComponent(receipt)}`, {
      ...caller,
      headers: { accept: 'application/json', ...caller.headers },
    });
  const answer = await ask(id);
  const text = await answer.text();
  if (answer.ok) judgeTexts([{ name: id, text: await withDecisions(text, ask) }]);
  else view.showNote(problemText(answer.status, text));
}

// A decision that cannot be read is left out: the report then says that it is not at hand.
async function withDecisions(text: string, ask: (receipt: string) => Promise<PageAnswer>): Promise<string> {
  const receipt = parseJson(text);
  const decisions: unknown[] = [];
  for (const id of claimedDecisions(receipt)) {
    const answer = await ask(id).catch(() => undefined);
    const decision = answer?.ok === true ? parseJson(await answer.text()) : undefined;
    if (decision !== undefined) decisions.push(decision);
  }
  return isRecord(receipt) && decisions.length > 0 ? JSON.stringify({ ...receipt, decisions }) : text;
}

function problemText(status: number, text: string): string {
  const problem = parseJson(text);
  if (!isRecord(problem)) return `The server answered ${status}.`;
  const { title = '', detail = '' } = problem as { readonly title?: string; readonly detail?: string };
  return `${status}: ${title}. ${detail}`;
}

// Reads keys first: they apply to receipts that come together with them.
function judgeTexts(read: readonly Read[]): void {
  const proofs = read.filter(({ text }) => text?.startsWith('c2sp.org/tlog-proof@'));
  const rest = read.filter((file) => !proofs.includes(file));
  const artefacts = rest.filter((file) => !takeKeys(file));
  const [proof] = artefacts.length === 1 && proofs.length === 1 ? proofs : [];
  const reports = artefacts.map(({ name, text }) => ({ name, report: reportOf(text, proof?.text) }));
  if (reports.length > 0) view.showReports(reports);
  else if (proofs.length > 0) view.showAlone();
}

function reportOf(text: string | undefined, proof: string | undefined): Omit<Report, 'place'> {
  if (text === undefined) return malformed('the file is larger than a receipt can be, or is not text in UTF-8');
  return verify(text, trust, proof === undefined ? {} : { proof });
}

/** Uses a file as trust if it is a key set or a trust file; answers whether it was. */
function takeKeys({ name, text }: Read): boolean {
  if (text === undefined) return false;
  const keys = readTrust(text);
  const policy = keys === undefined ? parsePolicy(text) : undefined;
  if (keys === undefined && policy === undefined) return false;
  trust = keys !== undefined ? { ...keys, facts } : { ...trust, ...(policy === undefined ? {} : { policy }) };
  view.showTrust(trust, name);
  return true;
}

async function readFile(file: PageFile): Promise<Read> {
  const bytes = file.size > most.bytes ? undefined : await file.arrayBuffer().catch(() => undefined);
  return { name: file.name, text: bytes && decodeUtf8(bytes) };
}
