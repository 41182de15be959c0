import { expect } from 'chai';
import type { Context } from 'mocha';
import { browserOrSkip } from '../../helpers/browser.ts';
import { firefoxOrSkip } from '../../helpers/firefox.ts';
import { until } from '../../helpers/until.ts';

/** A browser that is used by its keyboard alone. */
export interface Hands {
  /** Opens an address. */
  open(url: string): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  /** Types a text into what has the focus. */
  type(text: string): Promise<void>;
  /** Presses Tab until the focus is on the control whose label begins so; `kind`: its element. */
  tabTo(label: string, kind?: string): Promise<void>;
  /** Goes to a field by Tab, and types into it. */
  fill(label: string, text: string): Promise<void>;
  /** Goes to a button or link by Tab, and presses Enter. */
  enter(label: string): Promise<void>;
  /** Waits until the page shows a text. */
  shows(text: string): Promise<void>;
  /** Answers what the page shows. */
  text(): Promise<string>;
  close(): Promise<void>;
}

/** The browsers that a walk is made in, each with how it is started. */
export const browsers = { Chromium: chromiumHands, Firefox: firefoxHands } as const;

interface Keyboard {
  open(url: string): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  evaluate(expression: string): Promise<string>;
  close(): Promise<void>;
}

async function chromiumHands(context: Context): Promise<Hands> {
  const browser = await browserOrSkip(context);
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  return handsOf({
    open: async (url) => void (await page.goto(url)),
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key === ' ' ? 'Space' : key);
    },
    evaluate: (expression) => page.evaluate<string>(expression),
    close: () => browser.close(),
  });
}

async function firefoxHands(context: Context): Promise<Hands> {
  const { close, evaluate, navigate, press } = await firefoxOrSkip(context, { 'accessibility.tabfocus': 7 });
  return handsOf({ open: navigate, press, evaluate, close });
}

// What a screen reader would call the control that has the focus.
const focused = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return '';
  const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '';
  return one.localName + ' ' + label.trim().replace(/\\s+/g, ' ');
})()`;

const mostSteps = 150;

function handsOf(keyboard: Keyboard): Hands {
  const text = (): Promise<string> => keyboard.evaluate('document.body.innerText');
  const shows = async (wanted: string): Promise<void> =>
    void (await until(text, (found) => found.includes(wanted), `the text ${wanted}`));
  const tabTo = async (label: string, kind = ''): Promise<void> => {
    const seen: string[] = [];
    for (let steps = 0; steps < mostSteps; steps += 1) {
      const [element = '', ...words] = (await keyboard.evaluate(focused)).split(' ');
      const name = words.join(' ');
      if (name.startsWith(label) && (kind === '' || kind === element)) return;
      seen.push(`${element} ${name.slice(0, 40)}`);
      await keyboard.press('Tab');
    }
    expect.fail(`no Tab leads to ${label}, but to ${[...new Set(seen)].join('; ')}`);
  };
  const type = (given: string): Promise<void> => keyboard.press(...given);
  return {
    ...keyboard,
    ...{ text, shows, tabTo, type },
    async fill(label, given) {
      await tabTo(label);
      await type(given);
    },
    async enter(label) {
      await tabTo(label);
      await keyboard.press('Enter');
    },
  };
}
