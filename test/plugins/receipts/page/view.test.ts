import { expect } from 'chai';
import type { PageDocument, PageElement } from '../../../../plugins/receipts/page/dom.ts';
import { createView, type Shown } from '../../../../plugins/receipts/page/view.ts';

interface Node {
  className: string;
  parts: (PageElement | string)[];
}

/** As much of a document as the view uses. */
function createDocument() {
  const nodes = new Map<PageElement, Node>();
  const createElement = (): PageElement => {
    const node: Node = { className: '', parts: [] };
    const element = {
      set className(className: string) {
        node.className = className;
      },
      append: (...parts: Node['parts']) => void node.parts.push(...parts),
      replaceChildren: (...parts: Node['parts']) => void (node.parts = parts),
      focus: () => undefined,
    } as Partial<PageElement> as PageElement;
    nodes.set(element, node);
    return element;
  };
  const results = createElement();
  const textOf = (part: PageElement | string): string =>
    typeof part === 'string' ? part : (nodes.get(part)?.parts.map(textOf).join('') ?? '');
  const listed = (className: string): readonly string[][] =>
    [...nodes.values()].filter((node) => node.className === className).map(({ parts }) => parts.map(textOf));
  const document = { createElement, getElementById: () => results } as Partial<PageDocument> as PageDocument;
  return { document, listed };
}

describe('the card of a verified file', () => {
  const shown = (report: Partial<Shown['report']>): readonly string[][] => {
    const { document, listed } = createDocument();
    const whole = { overall: 'VERIFIED', exit: 0, checks: [], limits: [], ...report } as Shown['report'];
    createView(document).showReports([{ name: 'receipt.json', report: whole }]);
    return listed('limits');
  };

  it('lists what is left unproved, and nothing when all is proved', () => {
    expect(shown({ overall: 'VERIFIED-WITH-LIMITS', limits: ['one', 'two'] })).to.deep.equal([['one', 'two']]);
    expect(shown({})).to.deep.equal([]);
  });

  it('lists why a file is rejected', () => {
    const failed = { name: 'envelope', result: 'fail', detail: 'it does not fit' } as const;
    const [[reason] = []] = shown({ overall: 'REJECTED', checks: [failed] });
    expect(reason).to.match(/: .*; it does not fit$/);
  });
});
