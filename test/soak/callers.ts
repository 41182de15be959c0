import type { Received, Sent } from '../helpers/http.ts';
import type { Book } from './book.ts';
import { codeOf, type Client } from './client.ts';
import { echoOrb, emailOrb, tenants } from './home.ts';

/** A key, and the Orbiset it calls in. */
export interface Caller {
  readonly key: string;
  readonly orbiset: string;
}

/** What the policy under edit forbids. */
export const forbiddenText = 'forbidden';

/** Orders keys through the API: two live ones and a test one per tenant. */
export async function makeCallers(client: Client, adminKey: string): Promise<readonly Caller[]> {
  const callers: Caller[] = [];
  for (const tenant of tenants) {
    for (const mode of ['live', 'live', 'test']) {
      const scopes = ['orbs:execute', 'runs:read', 'receipts:read'];
      const made = await client.ask('/keys', { key: adminKey, json: { tenant, mode, scopes }, fits: [201] });
      callers.push({ key: String(made?.json['key']), orbiset: tenant });
    }
  }
  return callers;
}

/** Makes what one caller does, round by round: runs of both Orbs, with and without keys, and mistakes. */
export function createCaller(
  caller: Caller,
  name: string,
  client: Client,
  book: Book,
): (round: number) => Promise<void> {
  const path = `/orbisets/${caller.orbiset}/execute`;
  const execute = async (how: 'ask' | 'insist', json: object, more: Sent & { fits?: number[]; token?: string }) => {
    const { token, ...sent } = more;
    const received = await client[how](path, { key: caller.key, json, ...sent });
    if (received !== undefined) note(book, received, token);
    return received;
  };
  const echo = (text: string): object => ({ orb_id: echoOrb, inputs: { text } });
  const mail = (token: string): object => ({
    orb_id: emailOrb,
    inputs: {
      to: 'you@example.com',
      from_address: 'orb@example.com',
      subject: `soak-token-${token}`,
      body: 'It works.',
    },
  });
  const keyed = (key: string): Sent => ({ headers: { 'idempotency-key': key } });

  const plainEcho = async (round: number): Promise<void> => {
    const text = `hello ${round % 40}`;
    const received = await execute('ask', echo(text), {});
    if (received?.status !== 200) return;
    if ((received.json['outputs'] as { text: string }).text !== text)
      book.fault(`an echo of ${text} came back changed`);
  };
  const repeatedEcho = async (round: number): Promise<void> => {
    const key = `${name}-echo-${round}`;
    const first = await execute('insist', echo('once'), keyed(key));
    const second = await execute('insist', echo('once'), keyed(key));
    if (first?.status === 200 && second?.status === 200 && first.json['run_id'] !== second.json['run_id'])
      book.fault(`the key ${key} ran twice: ${String(first.json['run_id'])}, ${String(second.json['run_id'])}`);
    if (first?.status === 200) await execute('ask', echo('another'), { ...keyed(key), fits: [422] });
  };
  const keyedMail = async (round: number): Promise<void> => {
    const token = `${name}-keyed-${round}`;
    book.count('keyed e-mails');
    await execute('insist', mail(token), { ...keyed(token), token });
  };
  const twinMail = async (round: number): Promise<void> => {
    const token = `${name}-twin-${round}`;
    book.count('keyed e-mails');
    const send = () => execute('insist', mail(token), { ...keyed(token), token });
    await Promise.all([send(), send()]);
  };
  const plainMail = async (round: number): Promise<void> => {
    const token = `${name}-plain-${round}`;
    await execute('ask', mail(token), { token });
  };
  const forbidden = async (): Promise<void> => {
    await execute('ask', echo(forbiddenText), { fits: [200, 403] });
  };
  const wrongInputs = async (): Promise<void> => {
    await execute('ask', { orb_id: echoOrb, inputs: { text: 7 } }, { fits: [422] });
  };
  const steps = [
    ...[plainEcho, keyedMail, plainEcho, plainEcho, repeatedEcho, plainEcho, plainMail, plainEcho],
    ...[twinMail, plainEcho, forbidden, plainEcho, wrongInputs, plainEcho, keyedMail, plainEcho],
  ];
  return async (round) => steps[round % steps.length]?.(round);
}

function note(book: Book, { status, json }: Received, token: string | undefined): void {
  const runId = json['run_id'];
  if (typeof runId !== 'string') return;
  const code = codeOf(json);
  // A run that goes on, told to the twin of its caller, is not an answer to it yet.
  if (code === 'idempotency_in_progress') return;
  book.answered({ runId, status, ...(code === undefined ? {} : { code }), ...(token === undefined ? {} : { token }) });
}
