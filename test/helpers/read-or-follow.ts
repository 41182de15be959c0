/** Reads the text of an answer, or what a stream of events brings in a second; empty when it is refused. */
export async function readOrFollow(url: string, key: string): Promise<string> {
  const enough = new AbortController();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: enough.signal });
  if (!answer.ok) {
    enough.abort();
    return '';
  }
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer.text();
  const timer = setTimeout(() => enough.abort(), 1000);
  let text = '';
  try {
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch {
    // Its second is over.
  }
  clearTimeout(timer);
  return text;
}
