import { readFile } from 'node:fs/promises';
import type { CommandCall } from '../../../kernel/index.ts';
import { decodeBase64 } from '../format/base64.ts';
import { saltLength } from '../format/commitment.ts';
import { parseStrict, isRecord } from '../format/strict-json.ts';

/** Options with which the caller of a run proves the values that its receipt commits to. */
export const openingOptions = {
  '--inputs <file>': 'check that the run had these inputs (JSON; needs --opening)',
  '--outputs <file>': 'check that the run had these outputs (JSON; needs --opening)',
  '--opening <file>': 'the opening that `disclose: true` returned, or the whole response that contains it',
};

/** Inputs and outputs with the salts that open their commitments, in the form of a receipt's `disclosed`. */
export type Opened = Readonly<Record<string, { readonly salt: string; readonly value: unknown }>>;

/**
 * Reads `--inputs`, `--outputs` and `--opening`; `nothing` when none is given. Prints the reason and answers undefined
 * when one of them is missing or cannot be read.
 */
export async function readOpened(call: CommandCall): Promise<Opened | 'nothing' | undefined> {
  const given = (['inputs', 'outputs'] as const).filter((name) => call.options[name] !== undefined);
  if (given.length === 0 && call.options['opening'] === undefined) return 'nothing';
  if (given.length === 0) return refuse(call, '--opening needs --inputs or --outputs');
  if (call.options['opening'] === undefined) return refuse(call, '--inputs and --outputs need --opening');
  const opening = openingIn(await readJson('opening', call));
  const opened: Record<string, { salt: string; value: unknown }> = {};
  for (const name of given) {
    const salt = opening?.[`${name}_salt`];
    if (typeof salt !== 'string' || decodeBase64(salt)?.length !== saltLength)
      return refuse(call, `the opening contains no ${name}_salt of ${saltLength} bytes in base64`);
    const value = await readJson(name, call);
    if (value === undefined) return undefined;
    opened[name] = { salt, value };
  }
  return opened;
}

function openingIn(document: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(document)) return undefined;
  return isRecord(document['opening']) ? document['opening'] : document;
}

async function readJson(name: 'inputs' | 'outputs' | 'opening', { note, options }: CommandCall): Promise<unknown> {
  const path = String(options[name]);
  const value = parseStrict(await readFile(path, 'utf8').catch(() => ''));
  if (value === undefined) note(`cannot read the file ${path} as JSON`);
  return value;
}

function refuse({ note }: Pick<CommandCall, 'note'>, why: string): undefined {
  note(why);
  return undefined;
}
