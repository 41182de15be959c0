import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { branchesOf } from '../../../../plugins/operate/completion/completion.ts';
import { bashScript } from '../../../../plugins/operate/completion/bash.ts';
import { fishScript } from '../../../../plugins/operate/completion/fish.ts';
import { zshScript } from '../../../../plugins/operate/completion/zsh.ts';
import { installationOf } from '../../../../kernel/cli/installation.ts';
import { shippedCommands } from '../../../../kernel/main.ts';
import { need } from '../../../helpers/needs.ts';

describe('orb completion', () => {
  const commands = shippedCommands();
  const branches = branchesOf(installationOf({ plugins: [], adapters: [] }, commands, {}));

  /** Completes the last word of each line in one bash that can start no program; a line is the words after `orb`. */
  function complete(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
    const asked = lines.map((words) => {
      const list = ['orb', ...words].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _orb; echo "\${COMPREPLY[*]}"`;
    });
    const script = `set -u\n${bashScript(branches)}\n${asked.join('\n')}\n`;
    const { status, stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-s'], {
      env: { PATH: '/nowhere' },
      input: script,
      encoding: 'utf8',
    });
    expect([status, stderr]).to.deep.equal([0, '']);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ').filter((word) => word !== ''));
  }

  it('bash: completes commands, options and choices, and leaves values and arguments to files', () => {
    const found = complete([
      ['rec'],
      ['receipts', ''],
      ['receipts', 'ver'],
      ['keys', 'create', '--exp'],
      ['keys', 'create', '--name', 'list', '--sc'],
      ['keys', 'create', '--name', '='],
      ['keys', 'create', '--name', '=', 'x', '--mo'],
      ['keys', 'create', '--name', ''],
      ['--home', 'receipts', 'nod'],
      ['nodes', ''],
      ['completion', ''],
      ['completion', 'bash', ''],
      ['receipts', 'verify', ''],
      ['run', 'keys', ''],
      ['frobnicate', ''],
      ['help', 'ke'],
    ]);
    expect(found[1]).to.include.members(['list', 'show', 'verify', 'export']);
    expect(found.filter((_, at) => at !== 1)).to.deep.equal([
      ['receipts'],
      ['verify'],
      ['--expires'],
      ['--scope'],
      [],
      ['--mode'],
      [],
      ['nodes'],
      ['leave'],
      ['bash', 'zsh', 'fish'],
      [],
      [],
      [],
      [],
      ['keys'],
    ]);
  });

  it('bash: knows every command with every option', () => {
    const lines = commands.map(({ path }) => [...path.split(' '), '--']);
    const found = complete(lines);
    commands.forEach(({ options = [], path }, at) => {
      const flags = options.map(({ flag }) => flag.split(' ')[0] ?? '');
      expect(found[at], path).to.include.members([...flags, '--json', '--home', '--ca', '--help']);
    });
  });

  for (const [shell, script] of [
    ['zsh', zshScript],
    ['fish', fishScript],
  ] as const)
    it(`${shell}: is a script that the shell takes`, function () {
      need(this, shell);
      const folder = mkdtempSync(join(tmpdir(), 'completion-'));
      try {
        const file = join(folder, 'orb');
        writeFileSync(file, script(branches));
        const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
        expect([status, stderr]).to.deep.equal([0, '']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

  it('zsh and fish: name every command and option, in quotes that hold', () => {
    const tricky = branchesOf(
      installationOf(
        { plugins: [], adapters: [] },
        [
          ...commands,
          {
            path: 'x y',
            summary: "it's a: b\\c",
            run: () => Promise.resolve(),
            options: [{ flag: '--z', description: '' }],
          },
        ],
        {},
      ),
    );
    expect(zshScript(tricky)).to.include(String.raw`'y:it'\''s a\: b\c'`);
    expect(fishScript(tricky)).to.include(String.raw`complete -c orb -n '__orb_at \'x\'' -f -a 'y' -d 'it\'s a: b\\c'`);
    expect(fishScript(tricky)).to.include(String.raw`complete -c orb -n '__orb_at \'x y\'' -l z`);
  });
});
