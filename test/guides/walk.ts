import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { guideBlocks, type Block } from '../helpers/guide.ts';
import { shapeOf, shownBy } from '../helpers/shape.ts';
import { typeFaults } from '../helpers/type-check.ts';
import { openTerminal, type Printed } from './terminal.ts';

/** The address that guides name; a server of a test has another port. */
const written = '127.0.0.1:8080';

/** What a guide is followed in. */
export interface Place {
  readonly home: string;
  readonly url: string;
}

/** One reader who follows a guide from its first line to its last. */
export interface Walk {
  /** Does what stands under a heading, block by block; answers all that it printed. */
  follow(heading: string): Promise<string>;
  /** Types something else into the same shell; answers what it printed. */
  type(script: string): Promise<Printed>;
  /** Closes the reader's shell. */
  end(): void;
}

/** Lists the headings of a guide that have blocks, in order. */
export function headingsOf(path: string): readonly string[] {
  return [...new Set(guideBlocks(path).map(({ heading }) => heading))];
}

/** Begins to follow a guide: scripts are run, files saved, programs type-checked, samples held against what was printed. */
export function beginWalk(path: string, { home, url }: Place): Walk {
  const terminal = openTerminal(home);
  const blocks = guideBlocks(path).map((block) => ({
    ...block,
    code: block.code.replaceAll(written, new URL(url).host),
  }));
  let last: Printed = { stdout: '', stderr: '' };
  return {
    async follow(heading) {
      let all = '';
      const under = blocks.filter((block) => block.heading === heading);
      expect(under, `${path}: ${heading}`).not.to.deep.equal([]);
      for (const block of under) {
        if (block.language !== 'sh') take(block, last, home, blocks);
        else {
          last = await terminal.run(block.code);
          all += last.stdout + last.stderr;
        }
      }
      return all;
    },
    type: (script) => terminal.run(script),
    end: () => terminal.close(),
  };
}

/** Saves a block that names a file; compares a sample with what the block before it printed. Any other fails. */
function take(block: Block, printed: Printed, home: string, blocks: readonly Block[]): void {
  const { language, code, file } = block;
  if (file !== undefined) {
    if (language === 'ts') expectProgram(file, code, blocks.slice(blocks.indexOf(block)));
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), code);
  } else if (language === 'json') expectShape(code, printed.stdout);
  else if (language === 'text') expectLines(code, printed.stdout + printed.stderr);
  else throw new Error(`nobody reads this block of ${language === '' ? 'no language' : language}:\n${code}`);
}

/** A program is sound, and a script after it runs it. */
function expectProgram(path: string, code: string, rest: readonly Block[]): void {
  expect(typeFaults([{ path, code }]), path).to.deep.equal([]);
  const runs = rest.some((block) => block.language === 'sh' && block.code.includes(`node ${path}`));
  expect(runs, `${path} is run by a block`).to.equal(true);
}

function expectShape(code: string, stdout: string): void {
  const sample: unknown = JSON.parse(code);
  const answer = lastJson(stdout);
  expect(shapeOf(shownBy(sample, answer)), `${code}\nwas:\n${stdout}`).to.deep.equal(shapeOf(sample));
}

/** Parses what was printed, or the last of it that is JSON. */
function lastJson(text: string): unknown {
  const starts = [...text.matchAll(/^[[{]/gm)].map(({ index }) => index);
  for (const start of starts)
    try {
      return JSON.parse(text.slice(start));
    } catch {
      // It begins further down.
    }
  throw new Error(`no JSON was printed:\n${text}`);
}

/** Each line of a sample stands in the text, in order and next to each other; a line `…` leaves lines out. */
function expectLines(code: string, text: string): void {
  const lines = masked(text);
  let at = 0;
  let free = false;
  for (const line of masked(code)) {
    if (line === '…') free = true;
    else {
      const found = free ? lines.indexOf(line, at) : lines[at] === line ? at : -1;
      expect(found, `"${line}" of the sample; printed was:\n${lines.join('\n')}`).to.be.at.least(0);
      at = found + 1;
      free = false;
    }
  }
  if (!free) expect(lines.slice(at), 'lines that the sample does not show').to.deep.equal([]);
}

/** What differs from run to run is replaced by what it is. */
function masked(text: string): string[] {
  const plain = text
    .replace(/\b(orb_live|orb_test)_\w+…?/g, '<$1>')
    .replace(/\b([a-z]{2,4})_[0-9A-HJKMNP-TV-Z]{26}\b/g, '<$1>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/[0-9a-f]{64}/g, '<digest>')
    .replace(/(?<![\w+/=-])[\w+/-]{40,}={0,2}/g, '<bytes>')
    .replace(/\d+(\.\d+)?/g, '0');
  return plain.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.replace(/\s+/g, ' ').trim()]));
}
