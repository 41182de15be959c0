import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import type { TestPlatform } from '../../../helpers/platform.ts';

/** A browser that is used by its keyboard alone. */
export interface Hands {
  navigate(url: string): Promise<void>;
  /** `a`, `Tab`, `Control+k` */
  press(key: string): Promise<void>;
  /** Evaluates an expression, whose value is a text. */
  evaluate(expression: string): Promise<string>;
}

const mostTabs = 150;

// The name of what has the focus, as it is shown or said.
const focused = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return '';
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent;
  return (name ?? '').replace(/\\s+/g, ' ').trim();
})()`;

/** What a person does at a keyboard. */
class Person {
  readonly #hands: Hands;

  constructor(hands: Hands) {
    this.#hands = hands;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#hands.press(key);
  }

  async type(text: string): Promise<void> {
    await this.press(...text);
  }

  /** Waits until the focus is on what has this name. */
  async atFocus(name: string | RegExp): Promise<void> {
    await until(
      () => this.#hands.evaluate(focused),
      (found) => (typeof name === 'string' ? found === name : name.test(found)),
      `the focus on ${String(name)}`,
    );
  }

  /** Presses Tab until the focus is on what has this name. */
  async tabTo(name: string | RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let tabs = 0; tabs < mostTabs; tabs += 1) {
      await this.press(key);
      const found = await this.#hands.evaluate(focused);
      if (typeof name === 'string' ? found === name : name.test(found)) return;
      passed.push(found);
    }
    expect.fail(`Tab does not reach ${String(name)}; it reaches ${passed.join(' | ')}`);
  }

  async sees(text: string): Promise<void> {
    await until(
      () => this.#hands.evaluate('document.body.innerText'),
      (shown) => shown.includes(text),
      `the text ${text}`,
    );
  }

  async isAt(path: RegExp): Promise<void> {
    await until(
      () => this.#hands.evaluate('location.pathname + location.search'),
      (found) => path.test(found),
      `the address ${String(path)}`,
    );
  }
}

/** Walks through the console without a mouse: from the sign-in by runs, a receipt and an Orb that is tried, to the sign-out. */
export async function walkByKeyboard(hands: Hands, platform: TestPlatform): Promise<void> {
  const body = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } };
  const { run_id, receipt } = (await platform.call('POST', '/orbisets/default/execute', body)).body;
  const person = new Person(hands);
  await hands.navigate(`${platform.url}/console`);
  await person.atFocus(/^API key/);
  await person.type(platform.adminKey);
  await person.press('Enter');
  await person.sees('Sign out');
  await walkToRuns(person, String(run_id));
  await walkToReceipt(person, String(receipt.receipt_id));
  await tryAgain(person, String(run_id));
  await person.tabTo('Sign out', 'Shift+Tab');
  await person.press('Enter');
  await person.atFocus(/^API key/);
}

// By a jump, a filter that is chosen by a letter, and a link of the table.
async function walkToRuns(person: Person, runId: string): Promise<void> {
  await person.press('g', 'r');
  await person.atFocus('Runs');
  await person.tabTo(/^Status/);
  await person.type('c');
  await person.isAt(/\/runs\?status=c/);
  await person.tabTo('Clear');
  await person.press('Enter');
  await person.isAt(/\/runs$/);
  // Behind the last that has the focus, Tab leaves the page in Firefox.
  await person.sees(runId);
  await person.tabTo(runId);
  await person.press('Enter');
  await person.atFocus('Run: demo.echo@1.0.0');
}

// By the palette, and then by the id.
async function walkToReceipt(person: Person, receiptId: string): Promise<void> {
  await person.press('Control+k');
  await person.atFocus('Find');
  await person.type('receip');
  await person.press('Enter');
  await person.atFocus('Receipts');
  await person.press('/');
  await person.type(receiptId);
  await person.press('Enter');
  await person.atFocus('Receipt: demo.echo@1.0.0 completed');
  await person.sees('VERIFIED');
}

// An action of the screen by the palette; a dialog keeps the focus and gives it back.
async function tryAgain(person: Person, runId: string): Promise<void> {
  await person.press('/');
  await person.type(runId);
  await person.press('Enter');
  await person.atFocus('Run: demo.echo@1.0.0');
  await person.tabTo('Run again');
  await person.press('Enter');
  await person.sees('The inputs of this run cannot be read');
  await person.press('Escape');
  await person.atFocus('Run again');
  await person.press('Control+k');
  await person.type('run again');
  await person.press('Enter');
  await person.sees('The inputs of this run cannot be read');
  await person.tabTo('Open the form');
  await person.press('Enter');
  await person.atFocus('Try it');
  await person.tabTo(/^Text/i);
  await person.type('by keyboard');
  await person.tabTo('Run the test');
  await person.press('Enter');
  await person.sees('by keyboard');
  await person.press('Escape');
}
