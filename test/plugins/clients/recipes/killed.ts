import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { need } from '../../../helpers/needs.ts';
import { countMails, createReader, runProgram, savePrograms, type Reader } from './place.ts';

/** How often each step is killed. */
const kills = Number(process.env['RECIPE_KILLS'] ?? 1);
const killer = (name: string): string => join(import.meta.dirname, name);

/** A try of a step: what is run, and what its engine says to it. */
export interface Try {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A step of a page. */
export interface Step {
  readonly name: string;
  /** The `attempt` of the step that sends the mail with this subject. */
  readonly step: (subject: string, attempt: number) => Try;
}

/** Words that run a program of Python. */
export const inPython = (...words: readonly string[]): readonly string[] => ['python3', ...words];
/** Words that run a program of JavaScript. */
export const inNode = (...words: readonly string[]): readonly string[] => [process.execPath, ...words];

/** The same try, whose process is killed between the call and the record. */
function killed({ env = {}, words: [command = '', ...args] }: Try): Try {
  if (command === 'python3') return { env, words: [command, killer('kill_after_call.py'), ...args] };
  return { env, words: [command, '--import', killer('kill-after-call.mjs'), ...args] };
}

/** Defines the tests of the steps of a page: each is killed and tried again. `more`: further tests of the page. */
export function testSteps(page: string, steps: readonly Step[], more: (reader: () => Reader) => void): void {
  describe(`the steps of ${page}, killed between the call and the record (${kills} times)`, function () {
    this.timeout(60_000 + kills * 20_000);
    let reader: Reader;
    before(async function () {
      need(this, 'python');
      reader = await createReader();
      savePrograms(page, reader);
    });
    after(() => reader?.remove());

    for (const { name, step } of steps)
      it(`${name}: one effect, whose receipt is in the result`, async () => {
        const subjects = Array.from({ length: kills }, (_, at) => `${name.replaceAll(' ', '-')}-${at}`);
        for (const subject of subjects) {
          const first = killed(step(subject, 1));
          const died = await runProgram(reader, first.words, first.env ?? {});
          expect([died.stdout, died.end], died.stderr).to.deep.equal(['called: completed\n', 'SIGKILL']);
          expect(await resultOf(reader, step(subject, 2)), subject).to.match(/^rec_/);
        }
        const mails = countMails(reader);
        expect(subjects.map((subject) => mails.get(subject))).to.deep.equal(subjects.map(() => 1));
      });

    more(() => reader);
  });
}

/** Tries a step; answers the receipt in its result, which the server has. */
async function resultOf(reader: Reader, { env = {}, words }: Try): Promise<string> {
  const { end, stderr, stdout } = await runProgram(reader, words, env);
  expect(end, stderr).to.equal(0);
  const output = join(reader.served.home, env['GITHUB_OUTPUT'] ?? 'none');
  const result = existsSync(output) ? readFileSync(output, 'utf8') : stdout;
  const [receipt = ''] = /rec_[0-9A-Z]{26}/.exec(result) ?? [];
  const headers = { authorization: `Bearer ${reader.key}` };
  const answer = await fetch(`${reader.url}/receipts/${receipt}`, { headers });
  expect(answer.status, result).to.equal(200);
  return ((await answer.json()) as { readonly receipt_id: string }).receipt_id;
}
