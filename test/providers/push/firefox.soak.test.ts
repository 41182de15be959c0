import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firefoxOrSkip, type Firefox } from '../../helpers/firefox.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { until } from '../../helpers/until.ts';
import { startVendor } from '../../helpers/vendor.ts';
import webpush from '../../../providers/push/webpush.ts';
import { failure, opened, send } from './vendors/bed.ts';
import { startPushSocket } from './vendors/push-socket.ts';
import { vapid } from './vendors/service.ts';

const guide = 'plugins/docs/pages/operate/push.md';
const worker = guideBlocks(guide).find(({ code }) => code.startsWith('// worker.js'))?.code ?? '';

const subscribe = `(async () => {
  const registration = await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  const key = '${vapid.public_key}';
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  return JSON.stringify(subscription);
})()`;

const shown = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => JSON.stringify(all.map(({ title, body, tag, data }) => ({ title, body, tag, data }))))`;

const unsubscribe = `navigator.serviceWorker.ready
  .then((registration) => registration.pushManager.getSubscription())
  .then((subscription) => subscription.unsubscribe())
  .then(String)`;

describe('a message of push/webpush in a real browser', function () {
  this.timeout(180_000);

  it('is shown by the service worker of the guide, and a repeated one replaces it', async function () {
    const pages = createServer(({ url }, response) => {
      const script = url === '/worker.js';
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      response.end(script ? worker : '<!doctype html><title>Push</title>');
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const gone = new Set<string>();
    const service = await startVendor(({ path, body, headers }) => {
      const channel = path.slice('/push/'.length);
      if (gone.has(channel)) return { status: 410 };
      if (headers['ttl'] === undefined) return { status: 400 };
      return { status: 201, headers: { location: `/m/${socket.notify({ channel, data: body })}` } };
    });
    const channels: string[] = [];
    const socket = await startPushSocket((channel) => {
      channels.push(channel);
      return `${service.url}/push/${channel}`;
    });
    let firefox: Firefox | undefined;
    try {
      firefox = await firefoxOrSkip(this, {
        'dom.push.serverURL': socket.url,
        'dom.push.testing.allowInsecureServerURL': true,
        'permissions.default.desktop-notification': 1,
        'dom.webnotifications.requireuserinteraction': false,
        'alerts.useSystemBackend': false,
        // Those that Firefox has for tests switch push messages off.
        'remote.prefs.recommended': false,
      });
      const page = firefox;
      await page.navigate(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
      const subscription = JSON.parse(await page.evaluate(subscribe)) as object;
      const push_hosts = [{ host: '127.0.0.1', port: Number(new URL(service.url).port), private: true }];
      const handle = await opened(webpush, { ...vapid, push_hosts });
      const message = { title: 'Grüße', body: 'Hello\n語 👩‍👩‍👧‍👦', url: 'https://example.com/1', data: { run: '1' } };
      const inputs = { ...message, collapse: 'one', to: { subscription } };
      const expected = { title: message.title, body: message.body, tag: 'one' };
      for (const _ of [1, 2]) {
        const { message_id } = await send(handle, inputs);
        const version = String(message_id).slice('/m/'.length);
        await until(
          () => socket.acknowledged,
          (all) => all.includes(version),
          'an acknowledgement',
        );
      }
      const seen = JSON.parse(
        await until(
          () => page.evaluate(shown),
          (all) => all !== '[]',
          'a notification',
        ),
      ) as object;
      expect(seen).to.deep.equal([{ ...expected, data: { run: '1', url: message.url } }]);
      expect(await page.evaluate(unsubscribe)).to.equal('true');
      for (const channel of channels) gone.add(channel);
      expect((await failure(send(handle, inputs))).reason).to.equal('recipient_gone');
      await handle.close?.();
    } finally {
      await firefox?.close();
      await socket.close();
      await service.close();
      pages.close();
    }
  });
});
