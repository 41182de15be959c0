import type { Answer } from './client.ts';

/** Puts the wait that a vendor tells in its body, in seconds, where `refusal` reads it; a header of the answer wins. */
export function waiting(answer: Answer, seconds: unknown): Answer {
  if (typeof seconds !== 'number' || !(seconds >= 0) || answer.headers['retry-after'] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(seconds)) } };
}
