import type { DocumentedAnswer } from '../vendors/bed.ts';

/** Where the answers are described, and when that was read: Microsoft documents the form of a request alone. */
export const source =
  'learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors, MicrosoftDocs/msteams-docs#1810 and #11274, 2026-11-27';

const told = (error: string): DocumentedAnswer['reply'] => ({
  status: 200,
  body: `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${error} with ContextId tcid=0,server=DB3PEPF00000140,cv=ada.`,
});

/** The answers. */
export const answers: readonly DocumentedAnswer[] = [
  { name: 'another form', reply: { status: 400 }, outcome: 'rejected' },
  { name: 'a card that is too large', reply: { status: 413 }, outcome: 'rejected', reason: 'content_too_long' },
  { name: 'a wrong signature', reply: { status: 401 }, outcome: 'provider_fault' },
  { name: 'a workflow that may not run', reply: { status: 403 }, outcome: 'provider_fault' },
  { name: 'a deleted workflow', reply: { status: 404 }, outcome: 'provider_fault' },
  { name: 'a retired webhook', reply: { status: 410 }, outcome: 'provider_fault' },
  { name: 'too many requests', reply: { status: 429 }, outcome: 'throttled' },
  { name: 'no answer of the workflow', reply: { status: 502 }, outcome: 'unknown' },
  { name: 'the text of error 413', reply: told('413'), outcome: 'rejected', reason: 'content_too_long', shows: '413' },
  { name: 'the text of error 429', reply: told('429'), outcome: 'throttled', shows: '429' },
  { name: 'the text of error 404', reply: told('404'), outcome: 'provider_fault', shows: '404' },
  { name: 'the text of error 500', reply: told('500'), outcome: 'unknown', shows: '500' },
  { name: 'another text', reply: { status: 200, body: 'Summary or Text is required.' }, outcome: 'unknown' },
];
