import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { manual, manualPage } from '../../../../plugins/operate/completion/manual.ts';
import { installationOf } from '../../../../kernel/cli/installation.ts';
import { shippedCommands } from '../../../../kernel/main.ts';
import { version } from '../../../../kernel/tools/version.ts';
import { runCommand } from '../../../helpers/command.ts';
import { need } from '../../../helpers/needs.ts';

// What roff could take for its own: requests, escapes, quotes, words that it cannot break.
const tricky = {
  path: 'x y',
  summary: '.it\'s a \\fBtrick\\fR — `a` "b" ~c ^d',
  args: [{ name: 'z', description: "'quoted", choices: ['.a', '-b'] }],
  options: [{ flag: '--from <time>', description: 'x'.repeat(200) }],
  run: () => Promise.resolve(),
};

describe('orb man', () => {
  const commands = shippedCommands();
  const pageOf = (...more: (typeof tricky)[]): string =>
    manualPage(installationOf({ plugins: [], adapters: [] }, [...commands, ...more], {}), '2026-11-27');
  const read = (page: string, width = 500) =>
    spawnSync('man', ['--warnings', '-E', 'UTF-8', '-P', 'cat', '-l', '-'], {
      input: page,
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: String(width), MAN_KEEP_FORMATTING: '', LC_ALL: 'C.UTF-8' },
    });

  it('prints the page, with the date of the sources in a build', async () => {
    const { exit, text } = await runCommand(manual, '', [], { env: { SOURCE_DATE_EPOCH: '1764201600' } });
    expect(exit).to.equal(0);
    expect(text.split('\n')[0]).to.equal(`.TH ORB 1 "2025-11-27" "orb ${version}" "Agent Orb Platform"`);
  });

  it('has every command with its arguments and options', function () {
    need(this, 'man');
    const shown = read(pageOf()).stdout.replaceAll(/\s+/g, ' ');
    expect(commands.length).to.be.above(50);
    for (const { args = [], options = [], path, summary } of commands) {
      const call = ['orb', path, ...args.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`))];
      expect(shown, path).to.include(`${call.join(' ')} ${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
      for (const { flag } of options) expect(shown, path).to.include(` ${flag} `);
    }
  });

  it('shows texts as they are', function () {
    need(this, 'man');
    const { stdout } = read(pageOf(tricky));
    expect(stdout).to.include('.it\'s a \\fBtrick\\fR — `a` "b" ~c ^d.');
    expect(stdout).to.include("'quoted: .a, -b.");
  });

  it('has no warning by groff, on a narrow terminal too', function () {
    need(this, 'man');
    for (const width of [80, 500]) {
      const { status, stderr } = read(pageOf(), width);
      expect([status, stderr]).to.deep.equal([0, '']);
    }
  });

  it('has no fault by mandoc', function () {
    need(this, 'mandoc');
    const { status, stdout } = spawnSync('mandoc', ['-Tlint'], { input: pageOf(tricky), encoding: 'utf8' });
    expect([status, stdout]).to.deep.equal([0, '']);
  });
});
