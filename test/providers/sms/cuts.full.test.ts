import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { VendorServer } from '../../helpers/vendor.ts';
import { createStage, send, type SmsBed } from './vendors/bed.ts';
import { kannelBed } from './vendors/kannel.ts';
import { twilioBed } from './vendors/twilio.ts';
import { vonageBed } from './vendors/vonage.ts';

type Side = 'request' | 'answer';

/** A port that leads to a vendor and resets both sides after some bytes of one side. */
interface Cutter {
  readonly url: string;
  /** Where the next connections break; absent: nowhere. */
  cut: { readonly side: Side; readonly after: number } | undefined;
  /** Bytes of each side of the newest connection. */
  readonly passed: Record<Side, number>;
  close(): Promise<void>;
}

async function startCutter(vendor: VendorServer): Promise<Cutter> {
  const server = createServer((client) => {
    const target = createConnection({ port: Number(new URL(vendor.url).port), host: '127.0.0.1' });
    const { cut } = cutter;
    Object.assign(cutter.passed, { request: 0, answer: 0 });
    const end = (): void => {
      client.resetAndDestroy();
      target.destroy();
    };
    const pass = (side: Side): ((bytes: Buffer) => void) => {
      const to = side === 'request' ? target : client;
      return (bytes) => {
        const before = cutter.passed[side];
        cutter.passed[side] += bytes.length;
        if (cut?.side !== side || cutter.passed[side] <= cut.after) return void to.write(bytes);
        // The bytes before the cut arrive.
        to.write(bytes.subarray(0, cut.after - before), () => setImmediate(end));
      };
    };
    client
      .on('data', pass('request'))
      .on('error', end)
      .on('close', () => target.destroy());
    target
      .on('data', pass('answer'))
      .on('error', end)
      .on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutter: Cutter = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: undefined,
    passed: { request: 0, answer: 0 },
    async close() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
  return cutter;
}

describe('a text message whose connection is cut at any byte', () => {
  for (const bed of [twilioBed, vonageBed, kannelBed] satisfies SmsBed[]) {
    const { vendor: start, open } = createStage(bed);

    it(`is unknown, and sent at most once: ${bed.adapter.name}`, async () => {
      const vendor = await start();
      const cutter = await startCutter(vendor);
      const once = async (): ReturnType<typeof send> => {
        const handle = await open(bed.config(cutter.url));
        const ended = await send(handle);
        await handle.close?.();
        return ended;
      };
      await once();
      const { request, answer } = { ...cutter.passed };
      expect(Math.min(request, answer)).to.be.greaterThan(100);
      const counts: Record<string, number> = {};
      for (const [side, length] of [
        ['request', request],
        ['answer', answer],
      ] as const)
        for (let after = 0; after < length; after += 1) {
          const [taken, posts] = [vendor.taken, vendor.posts.length];
          cutter.cut = { side, after };
          const { error, outputs } = await once();
          const word = `${side} ${outputs === undefined ? (error?.outcome ?? '') : 'answered'}`;
          counts[word] = (counts[word] ?? 0) + 1;
          expect(vendor.taken - taken, `${side} ${after}`).to.be.at.most(1);
          expect(vendor.posts.length - posts, `${side} ${after}`).to.be.at.most(1);
        }
      expect(counts).to.deep.equal({ 'request unknown': request, 'answer unknown': answer });
      await cutter.close();
    });
  }
});
