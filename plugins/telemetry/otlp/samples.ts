/** One value of a metric. */
export interface Value {
  /** That of the metric, or of a part of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric as `GET /metrics` shows it. */
export interface Measured {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Value[];
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const escapes: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** Reads the Prometheus text format 0.0.4, as this program writes it: metrics are not counted a second time. */
export function readSamples(text: string): readonly Measured[] {
  const found: { name: string; help: string; type: string; values: Value[] }[] = [];
  let help = '';
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') help = rest.replaceAll(/\\([n\\])/g, (_, one: string) => escapes[one] ?? one);
    else if (kind === 'TYPE') found.push({ name, help, type: rest, values: [] });
    else found.at(-1)?.values.push(...valueOf(line));
  }
  return found;
}

function valueOf(line: string): readonly Value[] {
  const [, name, labels = '', text = ''] = sample.exec(line) ?? [];
  if (name === undefined) return [];
  const pairs = Array.from(labels.matchAll(label), ([, key = '', value = '']) => [
    key,
    value.replaceAll(/\\(.)/g, (_, one: string) => escapes[one] ?? one),
  ]);
  return [{ name, labels: Object.fromEntries(pairs) as Value['labels'], value: numberOf(text) }];
}

function numberOf(text: string): number {
  return text.endsWith('Inf') ? Infinity * (text.startsWith('-') ? -1 : 1) : Number(text);
}
