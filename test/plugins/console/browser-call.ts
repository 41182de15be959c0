import type { Answer } from '../../helpers/platform.ts';

/** The headers that a browser sends with a request of the console's own script. */
export const ownPage = { 'sec-fetch-site': 'same-origin', 'orb-console': '1' } as const;

/** An answer beside the cookie that it sets. */
export interface BrowserAnswer extends Answer {
  readonly cookie: string | undefined;
}

/** Sends a request as a browser would, and reads the answer. */
export async function browserCall(
  url: string,
  {
    method = 'GET',
    body,
    headers = ownPage,
  }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<BrowserAnswer> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = /json/.test(answer.headers.get('content-type') ?? '');
  return {
    status: answer.status,
    headers: answer.headers,
    body: json ? JSON.parse(text) : text,
    cookie: answer.headers.get('set-cookie') ?? undefined,
  };
}

/** Signs in with a key; answers the pair of the cookie, as a browser sends it back. */
export async function signIn(url: string, key: string): Promise<string> {
  const { status, body, cookie = '' } = await browserCall(`${url}/console/session`, { method: 'POST', body: { key } });
  if (status !== 201) throw new Error(`the key did not sign in: ${status} ${JSON.stringify(body)}`);
  return cookie.split(';')[0] ?? '';
}
