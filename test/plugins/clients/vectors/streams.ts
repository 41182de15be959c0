/** One case: a text, sent whole and cut in two at every byte; the events that it holds. */
export interface StreamCase {
  readonly name: string;
  readonly text: string;
  readonly result: {
    readonly events: readonly (readonly [event: string, id: string, data: string])[];
    readonly id: string;
  };
}

/** Texts of server-sent events (WHATWG HTML, 9.2.6). */
export const streams: readonly StreamCase[] = [
  {
    name: 'what a server sends',
    text: 'retry: 1000\nid: a1\n\nid: a2\ndata: {"type":"run.completed"}\n\n: still here\nid: a3\n\n',
    result: { events: [['message', 'a2', '{"type":"run.completed"}']], id: 'a3' },
  },
  {
    name: 'a gap, then an end',
    text: 'event: gap\nid: b1\ndata: {"code":"events_gone"}\n\nevent: end\ndata: {}\n\n',
    result: {
      events: [
        ['gap', 'b1', '{"code":"events_gone"}'],
        ['end', 'b1', '{}'],
      ],
      id: 'b1',
    },
  },
  {
    name: 'a block that is cut counts for nothing, its id neither',
    text: 'id: c1\ndata: 1\n\nid: c2\ndata: 2\n',
    result: { events: [['message', 'c1', '1']], id: 'c1' },
  },
  {
    name: 'several lines of data',
    text: 'data: one\ndata:\ndata:  two\n\n',
    result: { events: [['message', '', 'one\n\n two']], id: '' },
  },
  {
    name: 'ends of lines of every kind',
    text: 'id: d1\r\ndata: 1\r\n\r\ndata: 2\r\rdata: 3\n\n',
    result: {
      events: [
        ['message', 'd1', '1'],
        ['message', 'd1', '2'],
        ['message', 'd1', '3'],
      ],
      id: 'd1',
    },
  },
  {
    name: 'letters of several bytes, and a mark at the start',
    text: '\uFEFFdata: ä€😀\n\n',
    result: { events: [['message', '', 'ä€😀']], id: '' },
  },
  {
    name: 'unknown fields, comments, a field without a colon',
    text: ': ping\nfoo: bar\ndata\nid\n\n:\n\n',
    result: { events: [['message', '', '']], id: '' },
  },
  { name: 'an event without data is none', text: 'event: x\n\nid: e1\n\n', result: { events: [], id: 'e1' } },
  { name: 'nothing', text: '', result: { events: [], id: '' } },
];
