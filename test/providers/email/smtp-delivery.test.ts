import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { testKey } from '../../helpers/conformance.ts';
import { parseMail } from './mail.ts';
import { createBed, failure, plain, send } from './smtp-bed.ts';

describe('email/smtp hands over', () => {
  const { start, open } = createBed();

  for (const pipelining of [true, false])
    describe(`to a server ${pipelining ? 'with' : 'without'} PIPELINING`, () => {
      it('hands over exactly the composed message, and answers its Message-ID', async () => {
        const server = await start({ pipelining });
        const outputs = await send(await open({ ...plain, port: server.port }), {
          given: { cc: 'c@x.test', bcc: 'b@y.test' },
        });
        expect(outputs).to.deep.equal({ message_id: `<${testKey('s')}@example.com>` });
        expect(server.messages).to.have.length(1);
        const [message] = server.messages;
        expect(message?.from).to.equal('orb@example.com');
        expect(message?.to).to.deep.equal(['ada@example.org', 'c@x.test', 'b@y.test']);
        const { headers, text } = parseMail(message?.raw ?? Buffer.alloc(0));
        expect(headers).to.include({ 'message-id': `<${testKey('s')}@example.com>`, cc: 'c@x.test' });
        expect(headers).not.to.have.property('bcc');
        expect(text.trimEnd()).to.equal('Hello\r\n.\r\nAda');
      });

      it('sends to all recipients or to none, and names the refused one by its place only', async () => {
        const refuse = (address: string) =>
          address === 'c@x.test' ? { code: 550, text: '5.1.1 <c@x.test> unknown' } : undefined;
        const server = await start({ pipelining, misbehaviour: { rcpt: refuse } });
        const handle = await open({ ...plain, port: server.port });
        const error = await failure(send(handle, { given: { cc: 'd@x.test, c@x.test' } }));
        expect(error.outcome).to.equal('rejected');
        expect(error.message).to.equal(
          'the mail server refused 1 of 3 recipient(s); no message was sent: address 2 of `cc` (550 5.1.1)',
        );
        await server.quiet();
        expect(server.messages).to.have.length(0);
        await send(handle);
        expect(server.messages).to.have.length(1);
      });

      it('waits for the greylisted recipient rather than sending to the others', async () => {
        const refuse = (address: string) => (address === 'c@x.test' ? { code: 450, text: 'later' } : undefined);
        const server = await start({ pipelining, misbehaviour: { rcpt: refuse } });
        const error = await failure(send(await open({ ...plain, port: server.port }), { given: { cc: 'c@x.test' } }));
        expect(error.outcome).to.equal('throttled');
        expect(error.retry_after).to.equal(60);
        await server.quiet();
        expect(server.messages).to.have.length(0);
      });
    });

  it('says rejected when one recipient is refused for good and another for now', async () => {
    const rcpt = (address: string) => ({ code: address === 'ada@example.org' ? 450 : 550, text: 'no' });
    const server = await start({ misbehaviour: { rcpt } });
    const error = await failure(send(await open({ ...plain, port: server.port }), { given: { cc: 'c@x.test' } }));
    expect(error.outcome).to.equal('rejected');
    expect(error.message).to.include('address 1 of `cc` (550)');
  });

  describe('to something that is no mail server', () => {
    let server: Server;
    afterEach(() => server.close());
    const serve = async (text: string): Promise<number> => {
      server = createServer((socket) => socket.on('error', () => undefined).end(text)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    };

    for (const text of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n', '220', '\0\0\0\r\n', '250 hello\r\n'])
      it(`says not_sent after ${JSON.stringify(text)}`, async () => {
        const handle = await open({ ...plain, port: await serve(text), connection_timeout_ms: 500 });
        expect((await failure(send(handle))).outcome).to.equal('not_sent');
      });
  });
});
