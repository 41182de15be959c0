import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { need } from './needs.ts';

/** A headless Firefox with one page, driven by WebDriver BiDi. */
export interface Firefox {
  /** Opens an address and waits until its page has loaded. */
  navigate(url: string): Promise<void>;
  /** Evaluates an expression in the page, awaits it, and answers its value, which must be a text. */
  evaluate(expression: string): Promise<string>;
  /** Presses keys one after the other: names of keys such as `Tab`, single characters, `Control+k`. */
  press(...keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Code points that WebDriver has for keys without a character. */
const named: Readonly<Record<string, string>> = {
  ...{ Tab: '\uE004', Enter: '\uE006', Escape: '\uE00C', ArrowUp: '\uE013', ArrowDown: '\uE015' },
  ...{ Shift: '\uE008', Control: '\uE009' },
};

type Prefs = Readonly<Record<string, string | number | boolean>>;
type Members = Readonly<Record<string, unknown>>;

// Nothing of these leaves the machine.
const quiet: Prefs = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
};

/** Starts Firefox with settings in a profile of its own; leaves out what runs in `context` without one. */
export async function firefoxOrSkip(context: Context, prefs: Prefs): Promise<Firefox> {
  need(context, 'firefox');
  const profile = mkdtempSync(join(tmpdir(), 'orb-firefox-'));
  const lines = Object.entries({ ...quiet, ...prefs }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const options = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile, 'about:blank'];
  // A home of its own: caches and settings of the user stay as they are.
  const env = { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: '1' };
  const browser = spawn('firefox-esr', options, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const close = async (): Promise<void> => {
    const ended = browser.exitCode === null ? once(browser, 'exit') : undefined;
    browser.kill('SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { ...(await connected(await addressOf(browser))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of stderr ?? []) {
    said += String(chunk);
    const found = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said)?.[1];
    if (found !== undefined) {
      // Nobody reads the rest, and a full pipe would stop the browser.
      stderr?.resume();
      return found;
    }
  }
  throw new Error(`Firefox did not start: ${said}`);
}

async function connected(address: string): Promise<Omit<Firefox, 'close'>> {
  const socket = new WebSocket(`${address}/session`);
  const waiting = new Map<number, (answer: Members) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Members;
    waiting.get(Number(answer['id']))?.(answer);
  });
  await once(socket, 'open');
  let last = 0;
  const command = async (method: string, params: Members): Promise<Members> => {
    const id = (last += 1);
    const { promise, resolve } = Promise.withResolvers<Members>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await promise;
    if (answer['type'] !== 'success') throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer['result'] as Members;
  };
  await command('session.new', { capabilities: {} });
  // A new tab has the focus, without which keys press no button; Tab at the end of its page takes it away.
  const created = await command('browsingContext.create', { type: 'tab' });
  const context = String(created['context']);
  return {
    navigate: async (url) => void (await command('browsingContext.navigate', { context, url, wait: 'complete' })),
    async press(...keys) {
      const actions = keys.flatMap((key) => {
        const values = key.split(/(?<=.)\+(?=.)/).map((one) => named[one] ?? one);
        const down = values.map((value) => ({ type: 'keyDown', value }));
        return [...down, ...values.toReversed().map((value) => ({ type: 'keyUp', value }))];
      });
      await command('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] });
    },
    async evaluate(expression) {
      const asked = { expression, target: { context }, awaitPromise: true, userActivation: true };
      const { result, ...failed } = await command('script.evaluate', asked);
      const { type, value } = (result ?? {}) as { readonly type?: string; readonly value?: string };
      if (type !== 'string' || value === undefined)
        throw new Error(`no text: ${JSON.stringify({ result, ...failed })}`);
      return value;
    },
  };
}
