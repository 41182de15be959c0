import { expect } from 'chai';
import {
  byTask,
  firstWord,
  grouped,
  headingOf,
  summaryOf,
  tasks,
} from '../../../../kernel/cli/command/command-group.ts';
import { defineCommand } from '../../../../kernel/cli/command/command.ts';
import { shippedCommands } from '../../../../kernel/main.ts';

// The first words of summaries: each is a verb.
const verbs = new Set(
  (
    'acknowledge add activate approve ask cancel check close compact compare connect continue copy create delete deprecate end erase ' +
    'execute export fetch find format give grant have let list load make manage mark measure move open pause plan preview print process publish ' +
    'put read recompute refuse reload remove replace replay resolve restore resume retract return revoke rotate run save send serve show sign ' +
    'start subscribe swap take test update verify walk write go'
  ).split(' '),
);

describe('the groups of commands', () => {
  const commands = shippedCommands();
  const words = [...new Set(commands.map(({ path }) => firstWord(path)))];

  it('have a heading each, and one summary that begins with a verb', () => {
    for (const word of words) {
      const members = commands.filter(({ path }) => firstWord(path) === word);
      expect(new Set(members.map(headingOf)).size, word).to.equal(1);
      expect(Object.values<string>(tasks), word).to.include(headingOf(commandOf(word)));
      // The summary is that of the command or that of the group, never both.
      const described = members.filter(({ path }) => path === word).length;
      const groups = new Set(members.flatMap(({ group }) => (group?.summary === undefined ? [] : [group.summary])));
      expect(described + groups.size, word).to.equal(1);
    }
    const summaries = [...words.map((word) => summaryOf(word, commands)), ...commands.map(({ summary }) => summary)];
    expect(summaries.filter((text) => !verbs.has(text.split(/[ ;,]/)[0] ?? ''))).to.deep.equal([]);
    expect(summaries.filter((text) => /\.$|\.\s/.test(text))).to.deep.equal([]);
  });

  it('are shown by task; a command without a group is last', () => {
    const other = defineCommand({ path: 'other', summary: 'show', run: () => Promise.resolve() });
    const headings = [...new Set(byTask([other, ...commands]).map(headingOf))];
    expect(headings).to.deep.equal([...Object.values(tasks).filter((task) => headings.includes(task)), 'Other']);
  });

  it('of a plugin outside the tree: list the names of its commands, without a summary', () => {
    const made = ['x one', 'x two'].map((path) =>
      defineCommand({ path, summary: 'show', run: () => Promise.resolve() }),
    );
    expect(summaryOf('x', made)).to.equal('one, two');
    expect(summaryOf('x', grouped([{ name: 'x', task: 'run', summary: 'show it' }], made))).to.equal('show it');
  });

  function commandOf(word: string) {
    const found = commands.find(({ path }) => firstWord(path) === word);
    if (found === undefined) throw new Error(word);
    return found;
  }
});
