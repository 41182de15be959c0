// A server that does nothing but answer, for comparison: `node test/soak/door/static.ts`; prints its URL, ends when its
// input ends.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const page = Buffer.alloc(16_384, 'a page ');
const brief = Buffer.from(JSON.stringify({ status: 'ok' }));

const server = createServer((req, res) => {
  const body = /^\/(docs|openapi)/.test(req.url ?? '') ? page : brief;
  req.resume().once('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    res.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.once('end', () => process.exit(0)).resume();
