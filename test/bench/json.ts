// node test/bench/json.ts: processor time of reading JSON bodies of many keys. In a process of its own, in which no text
// had an escape yet: what V8 makes of the reader depends on what it has read.
import { parseJson } from '../../kernel/http/body/json.ts';
import { printTable } from './table.ts';

const rounds = 6;

const bodies = [1_000, 10_000, 100_000].map((keys) => ({
  keys,
  text: `{${Array.from({ length: keys }, (_, n) => `"k${n}":${n % 10}`).join()}}`,
}));

/** Answers the least processor time of a byte over some readings, in ns: a collection falls into some of them. */
function nsPerByte(parse: (text: string) => unknown, text: string): number {
  const times = Math.max(1, Math.round(200_000 / text.length));
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) parse(text);
  const { system, user } = process.cpuUsage(before);
  return ((system + user) * 1000) / (times * text.length);
}

const least = bodies.map(() => ({ reader: Infinity, plain: Infinity }));
for (let round = 0; round < rounds; round++)
  for (const [at, { text }] of bodies.entries()) {
    const [reader, plain] = [nsPerByte(parseJson, text), nsPerByte(JSON.parse, text)];
    // The first rounds run the reader before V8 has optimised it.
    const known = least[at];
    if (known === undefined || round < rounds / 2) continue;
    least[at] = { reader: Math.min(known.reader, reader), plain: Math.min(known.plain, plain) };
  }

printTable(
  'Reading JSON, processor time',
  ['ns per byte', 'JSON.parse'],
  bodies.map(({ keys }, at) => [`${keys} keys`, least[at]?.reader.toFixed(1) ?? '', least[at]?.plain.toFixed(1) ?? '']),
);
