import type { Raised, ShownCall, Told } from './client.ts';

/** What a client told so far. */
export class Telling {
  text = '';
  finish = '';
  usage: Told['usage'] = null;
  readonly #pieces: string[] = [];
  readonly #calls: ShownCall[] = [];

  piece(text: string | null | undefined): void {
    if (text !== undefined && text !== null && text !== '') this.#pieces.push(text);
  }

  call(id: string, name: string, args: unknown): void {
    this.#calls.push({ id, name, arguments: args });
  }

  /** Makes what was told, with what was raised at the end. */
  told(error: Raised | null = null): Told {
    const { finish, text, usage } = this;
    return { text, pieces: this.#pieces, calls: this.#calls, finish, usage, error };
  }
}

/** Does the work of one ask, and turns what it raises into a part of the answer. */
export async function telling(work: (told: Telling) => Promise<void>, raised: (error: Error) => Raised): Promise<Told> {
  const told = new Telling();
  try {
    await work(told);
    return told.told();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return told.told(raised(error));
  }
}
