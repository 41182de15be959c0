import type { ReceiptDocument } from '../../frame/wire.ts';
import { html } from '../../frame/html.ts';
import { Code } from '../../parts/code.ts';
import { Facts, Table } from '../../parts/table.ts';
import { pathOf, type PathStep } from './path.ts';

type Proof = NonNullable<ReceiptDocument['proof']>;

/** A step with its hash. */
type Step = PathStep & { readonly hash: string };

/** Shows where the log has the receipt, and the path of hashes from it to the root that the log signed. */
export function Position({ of }: { readonly of: ReceiptDocument['proof'] }) {
  if (of === undefined)
    return html`<section class="panel stack">
      <h2>Position in the log</h2>
      <p class="note note-bad">The server sent no proof that the log has this receipt.</p>
    </section>`;
  const { origin, index, tree_size: size, hashes, checkpoint } = of;
  const steps = pathOf(index, size).map((step, at) => ({ ...step, hash: hashes[at] ?? '' }));
  const [, , root = ''] = checkpoint.split('\n');
  return html`<section class="panel stack">
    <h2>Position in the log</h2>
    <p>
      Entry <strong class="nums">${index}</strong> of a log with <strong class="nums">${size}</strong>
      ${` ${size === 1 ? 'entry' : 'entries'}, counted from 0. ${pathWords(steps.length)}`}
    </p>
    <${Drawing} index=${index} size=${size} steps=${steps} />
    <details class="on-screen">
      <summary>Show as a table</summary>
      <${Table} caption="Inclusion path" columns=${columns} rows=${steps} rowKey=${spanOf} />
    </details>
    <${Facts}
      of=${[
        ['Log', html`<code>${origin}</code>`],
        ['Root', html`<code>${root}</code>`],
      ]}
    />
    <details class="on-screen">
      <summary>The signed checkpoint</summary>
      <${Code} text=${checkpoint} label="checkpoint" />
    </details>
  </section>`;
}

function pathWords(count: number): string {
  if (count === 0) return 'Its own hash is the root, which the log signed.';
  const others = count === 1 ? 'one other' : `${count} others`;
  return `Its hash and ${others} give the root, which the log signed. This proves the entry without the rest of the log.`;
}

const columns = [
  { title: 'Entries', cell: spanOf },
  { title: 'Side', cell: ({ side }: Step) => side },
  { title: 'Hash', cell: ({ hash }: Step) => html`<code>${hash}</code>` },
];

function spanOf({ from, to }: PathStep): string {
  return from === to ? String(from) : `${from}–${to}`;
}

const width = 320;
const middle = width / 2;
const row = 40;
const box = { wide: 108, high: 22 } as const;

// The path goes straight down from the root; what is added stands at its sides. Below it is the whole log as a bar.
function Drawing({
  index,
  size,
  steps,
}: Pick<Proof, 'index'> & { readonly size: number; readonly steps: readonly Step[] }) {
  const down = [...steps].reverse();
  const leaf = 16 + down.length * row;
  const height = leaf + 66;
  const at = 8 + ((width - 16) * (index + 0.5)) / size;
  const label = `The inclusion path of entry ${index} in a log of ${size}, from the root down: ${
    down.map((step) => `entries ${spanOf(step)} at the ${step.side}`).join(', ') || 'no other hash'
  }`;
  return html`<svg class="log-path" viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}>
    <path class="log-line" d="M${middle} 16V${leaf}L${at} ${height - 26}" />
    ${down.map((step, depth) => html`<${Sibling} step=${step} y=${16 + (depth + 1) * row} />`)}
    <${Node} x=${middle} y=${16} text=${down.length === 0 ? `root and ${index}` : 'root'} own />
    ${down.length > 0 && html`<${Node} x=${middle} y=${leaf} text=${`entry ${index}`} own />`}
    <rect class="log-bar" x="8" y=${height - 26} width=${width - 16} height="8" />
    <rect class="log-mark" x=${Math.min(at, width - 8) - 1.5} y=${height - 29} width="3" height="14" />
    <text class="log-text" x="8" y=${height - 4}>0</text>
    <text class="log-text log-end" x=${width - 8} y=${height - 4}>${size - 1}</text>
  </svg>`;
}

function Sibling({ step, y }: { readonly step: Step; readonly y: number }) {
  const half = box.wide / 2;
  const x = step.side === 'left' ? half + 1 : width - half - 1;
  return html`<path class="log-line" d="M${middle} ${y - row}L${x} ${y - box.high / 2}" />
    <circle class="log-mark" cx=${middle} cy=${y} r="3" />
    <${Node} x=${x} y=${y} text=${spanOf(step)} />`;
}

interface NodeProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  /** It is of the path itself. */
  readonly own?: boolean;
}

function Node({ x, y, text, own = false }: NodeProps) {
  const wide = own ? 92 : box.wide;
  return html`<rect
      class=${own ? 'log-box log-own' : 'log-box'}
      x=${x - wide / 2}
      y=${y - box.high / 2}
      width=${wide}
      height=${box.high}
      rx="5"
    />
    <text class="log-text log-name" x=${x} y=${y + 4}>${text}</text>`;
}
