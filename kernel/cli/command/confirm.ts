import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';

/** The option of each command that cannot be undone. */
export const yesOption = { flag: '--yes', description: 'do not ask for confirmation; required without a terminal' };

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

/** Asks a person whether to go on: `nobody` without a terminal; the end of the input is a no. */
export async function askPerson(question: string, { input, output }: Terminal): Promise<'yes' | 'no' | 'nobody'> {
  if (input.isTTY !== true || output.isTTY !== true) return 'nobody';
  const lines = createInterface({ input, output });
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
  } finally {
    lines.close();
  }
}
