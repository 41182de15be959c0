import { timestamp } from '../../../kernel/index.ts';
import type { WholeApproval } from '../desk.ts';
import { piecesOf } from '../marks.ts';

/** What a notice says, for the places in the inputs of its Orb. */
export interface NoticeWords {
  readonly subject: string;
  readonly text: string;
  readonly link: string;
}

const mostShown = 200;

/** Writes a notice: what is asked and where to decide. Of the inputs it says the size alone. */
export function noticeWords(
  { row, bound, asks }: WholeApproval,
  group: string,
  link: { url: string; byLink: boolean },
): NoticeWords {
  const { orb_id, orbiset_id, requester, mode, expires_at, approval_id } = row;
  const own = asks.filter(({ approvers }) => approvers === group);
  return {
    subject: `Approval needed: ${orb_id} (${group})`,
    text: [
      `A run of ${orb_id} in the Orbiset ${orbiset_id} waits for an approval by ${group}. Nothing has been sent.`,
      '',
      ...own.map(({ code, message, of }) => `Reason: ${oneLine(message)} (${code}; ${of} of ${group})`),
      `Requested by: ${requester}${mode === 'sandbox' ? ' (sandbox)' : ''}`,
      `Inputs: ${bound.inputs.size} bytes; the page shows them`,
      `Expires: ${timestamp(expires_at)}; without an approval the run is denied`,
      `Approval: ${approval_id}`,
      '',
      link.byLink
        ? 'Look at it and decide here. The link is for you alone and decides once; do not forward it:'
        : 'Look at it and decide here, signed in to the console:',
      link.url,
      '',
    ].join('\n'),
    link: link.url,
  };
}

/** Puts the words into the texts of inputs; a text that comes from a word is not looked at again. */
export function filled(inputs: unknown, words: NoticeWords): unknown {
  if (typeof inputs === 'string')
    return inputs.replace(/\{(subject|text|link)\}/g, (_, name: keyof NoticeWords) => words[name]);
  if (Array.isArray(inputs)) return inputs.map((one) => filled(one, words));
  if (typeof inputs !== 'object' || inputs === null) return inputs;
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, filled(value, words)]));
}

// The words of a policy may quote the caller: they cannot add lines or hide characters here.
function oneLine(text: string): string {
  const shown = piecesOf(text.replace(/\s*\n\s*/g, ' '))
    .map(({ text: part, kind, label }) => (label === undefined || kind === 'space' ? part : `[${label}]`))
    .join('');
  return shown.length > mostShown ? `${shown.slice(0, mostShown)}…` : shown;
}
