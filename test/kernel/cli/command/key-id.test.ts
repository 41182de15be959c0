import { expect } from 'chai';
import { defineCommand, type CommandCall } from '../../../../kernel/index.ts';
import { runProgram } from '../../../../kernel/cli/program.ts';
import { shippedCommands } from '../../../../kernel/main.ts';

describe('an argument that begins with `-`', () => {
  const kid = `-${'aB3_-'.repeat(8)}xy`;
  const dashes = `--${'a'.repeat(41)}`;

  /** Runs a command of two arguments and two options, and answers what it got. */
  async function given(...words: readonly string[]): Promise<Pick<CommandCall, 'args' | 'options'> | number> {
    const calls: CommandCall[] = [];
    const command = defineCommand({
      ...{ path: 'keys use', summary: 'use a key' },
      args: [
        { name: 'kid', description: 'its id' },
        { name: 'other', description: 'another', optional: true },
      ],
      options: [
        { flag: '--reason <text>', description: 'why' },
        { flag: '--key <id>', description: 'a key', repeat: true },
      ],
      async run(call) {
        calls.push(call);
      },
    });
    const code = await runProgram(['keys', 'use', ...words], [command], { plugins: [], adapters: [] });
    const [call] = calls;
    return call === undefined ? code : { args: call.args, options: call.options };
  }

  it('is an argument where it has the form of a key id, before options, between and after them', async () => {
    for (const id of [kid, dashes]) {
      expect(id).to.have.length(43);
      const wanted = { args: [id, undefined], options: { reason: 'lost' } };
      expect(await given(id, '--reason', 'lost')).to.deep.equal(wanted);
      expect(await given('--reason', 'lost', id)).to.deep.equal(wanted);
      expect(await given('--reason', 'lost', '--', id)).to.deep.equal(wanted);
      expect(await given(id, dashes)).to.deep.equal({ args: [id, dashes], options: {} });
    }
  });

  it('stays whole as the value of an option', async () => {
    expect(await given('x', '--reason', kid, '--key', kid, '--key', dashes)).to.deep.equal({
      args: ['x', undefined],
      options: { reason: kid, key: [kid, dashes] },
    });
  });

  it('is an option in any other form, and is refused where there is none', async () => {
    const { write } = process.stderr;
    const said: string[] = [];
    process.stderr.write = (text: string | Uint8Array) => said.push(String(text)) > 0;
    try {
      expect(await given(kid.slice(0, -1))).to.equal(64);
      expect(await given(`${kid}z`)).to.equal(64);
    } finally {
      process.stderr.write = write;
    }
    expect(said.join('')).to.match(/^(orb: unknown option '-.*\n){2}$/);
  });

  it('is no option of a command', () => {
    const flags = shippedCommands().flatMap(({ options = [] }) => options.map(({ flag }) => flag.split(' ')[0] ?? ''));
    expect(flags.filter((flag) => flag.length === kid.length)).to.deep.equal([]);
  });
});
