// A process of strangers without a key, from an address of their own: bodies of many keys to what verifies for anybody,
// requests that never end, answers that nobody reads. `node test/soak/strangers.ts URL`; ends when its input ends.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const { hostname, port } = new URL(process.argv[2] ?? '');
const from = { host: hostname, port: Number(port), localAddress: '127.0.0.2' };
const unfinished = 300;
const unread = 100;

/** Sends bodies of 75,000 keys, one after the other. */
async function verifyForever(path: string): Promise<never> {
  const body = Buffer.from(`{${Array.from({ length: 75_000 }, (_, n) => `"k${n}":${n % 10}`).join()}}`);
  for (;;) await post(path, body);
}

async function post(path: string, body: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const call = request({ ...from, path, method: 'POST', headers, agent: false }, (answer) => answer.resume());
    call.once('error', () => undefined).once('close', resolve);
    call.end(body);
  });
}

/** Holds a connection that says something and then nothing; when it is closed, another one. */
async function hold(text: string, { reads }: { readonly reads: boolean }): Promise<never> {
  for (;;) {
    const socket = connect({ ...from, allowHalfOpen: true });
    if (reads) socket.resume();
    else socket.pause();
    socket.write(text);
    await closed(socket);
    await delay(100);
  }
}

async function closed(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.once('error', () => undefined).once('close', () => resolve()));
}

const head =
  'POST /receipts/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
const asked = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20);
for (const path of ['/receipts/verify', '/certificates/verify']) void verifyForever(path);
for (let at = 0; at < unfinished; at++) void hold(at % 2 === 0 ? head : 'no request\r\n\r\n', { reads: true });
for (let at = 0; at < unread; at++) void hold(asked, { reads: false });
process.stdin.once('end', () => process.exit(0)).resume();
