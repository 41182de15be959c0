import { expect } from 'chai';
import type { Screen } from '../../../kernel/cli/command/screen.ts';
import { listing, record, table } from '../../../plugins/terminal/table.ts';
import { widthOf } from '../../../plugins/terminal/width.ts';

/** A terminal that writes styles as tags. */
const colours: Screen = { paint: (style, text) => `<${style}>${text}</${style}>` };
const terminal = (columns: number): Screen => ({ columns, paint: (_, text) => text });

describe('the output of a command', () => {
  it('a table has its columns two spaces apart and no space at the end of a line', () => {
    const text = table([
      ['A', 'LONG', 'C'],
      ['aaa…', 'b', ''],
    ]);
    expect(text).to.equal('A     LONG  C\naaa…  b');
  });

  it('a table shows control and format characters, which may be a stranger’s, as spaces', () => {
    expect(
      table([
        ['A', 'B'],
        ['x\u001b[2J\ny\u202e', 'z'],
      ]),
    ).to.equal('A         B\nx [2J y   z');
  });
});

describe('a list', () => {
  const id = 'key_01M6B27VZ00000000000000004';
  const head = ['KEY_ID', 'NAME', 'SCOPES', 'LAST USED'];
  const rows = [
    [id, 'ci', 'orbs:read orbs:execute receipts:read', '2026-11-27T10:00:00.000Z'],
    [id.replace('4', '5'), '仕事', 'runs:read', 'never'],
  ];

  it('is whole in a pipe, and `none` where it is empty', () => {
    const text = listing(head, rows).toString();
    expect(text.split('\n')[1]).to.equal(rows[0]?.join('  ').replace('ci', 'ci  '));
    expect(listing(head, rows).on({ paint: (_, cell) => cell })).to.equal(text);
    expect(listing(head, []).on(colours)).to.equal('none');
  });

  it('fits a terminal of any width: the widest columns are shortened, never the ids', () => {
    const whole = Math.max(...listing(head, rows).toString().split('\n').map(widthOf));
    for (let columns = id.length; columns <= whole + 1; columns++) {
      const lines = listing(head, rows).on(terminal(columns)).split('\n');
      expect(lines).to.have.length(3);
      expect(Math.max(...lines.map(widthOf)), String(columns)).to.be.at.most(columns);
      expect(lines[1]).to.match(new RegExp(`^${id}`));
    }
    expect(listing(head, rows).on(terminal(whole))).to.equal(listing(head, rows).toString());
    expect(listing(head, rows).on(terminal(72)).split('\n')).to.deep.equal([
      'KEY_ID                          NAME  SCOPES            LAST USED',
      `${id}  ci    orbs:read orbs:…  2026-11-27T10:0…`,
      `${id.replace('4', '5')}  仕事  runs:read         never`,
    ]);
  });

  it('shortens states last, and colours one by its whole word', () => {
    const runs = [['run_1', 'completed', 'a long title of a run', 'never']];
    const on = (columns: number) => listing(['RUN_ID', 'STATUS', 'TITLE', 'USED'], runs).on({ ...colours, columns });
    expect(on(32).split('\n')[1]).to.equal('run_1   <good>completed</good>  a lon…  never');
    expect(on(25).split('\n')[1]).to.equal('run_1   <good>comp…</good>  a l…  nev…');
  });

  it('shows an id whole on a terminal that is narrower', () => {
    expect(listing(head, rows).on(terminal(5)).split('\n')).to.deep.equal(['KEY_ID', id, id.replace('4', '5')]);
  });

  it('has a bold head, and colours states by their words', () => {
    const text = listing(
      ['RUN_ID', 'STATUS', 'NOTE', 'HEALTH'],
      [
        ['run_1', 'failed', 'failed', 'up'],
        ['run_2', 'indeterminate', '', 'unknown'],
        ['run_3', 'completed', 'x', ''],
      ],
    ).on(colours);
    expect(text.split('\n')).to.deep.equal([
      '<head>RUN_ID</head>  <head>STATUS</head>         <head>NOTE</head>    <head>HEALTH</head>',
      'run_1   <bad>failed</bad>         failed  <good>up</good>',
      'run_2   <warning>indeterminate</warning>          unknown',
      'run_3   <good>completed</good>      x',
    ]);
  });
});

describe('a record', () => {
  const key = `orb_live_${'x'.repeat(38)}`;
  const rows = [
    ['key', key],
    ['state', 'paused: its key is gone'],
    ['note', 'failed'],
  ];

  it('is never shortened, so that what is shown once is shown whole', () => {
    expect(record(rows).on(terminal(10))).to.equal(record(rows).toString());
    expect(record(rows).toString()).to.match(new RegExp(`^key {4}${key}$`, 'm'));
  });

  it('colours states alone', () => {
    expect(record(rows).on(colours).split('\n').slice(1)).to.deep.equal([
      'state  <warning>paused: its key is gone</warning>',
      'note   failed',
    ]);
  });
});
