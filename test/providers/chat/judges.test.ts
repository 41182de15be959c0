import { REST, DiscordAPIError } from '@discordjs/rest';
import { expect } from 'chai';
import { Api, GrammyError } from 'grammy';
import { startVendor, type VendorServer } from '../../helpers/vendor.ts';
import { botToken as discordToken, discordDouble } from './doubles/discord.ts';
import { botToken, telegramDouble } from './doubles/telegram.ts';
import type { Double } from './doubles/bed.ts';

describe('the doubles of chats, judged by clients of the vendors', () => {
  let vendor: VendorServer;
  afterEach(() => vendor.close());
  const start = async (double: Double): Promise<string> => {
    vendor = await startVendor(double.contract);
    return vendor.url;
  };
  const fails = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error,
    );

  it('answer grammY as Telegram does', async () => {
    const double = telegramDouble();
    const apiRoot = await start(double);
    const api = new Api(botToken, { apiRoot });
    expect((await api.getMe()).is_bot).to.equal(true);
    const entities = [{ type: 'bold' as const, offset: 0, length: 4 }];
    const sent = await api.sendMessage(-1001234, 'Disk full', {
      entities,
      link_preview_options: { is_disabled: true },
    });
    expect([sent.message_id, sent.chat.id, sent.text]).to.deep.equal([1, -1001234, 'Disk full']);
    await api.sendMessage('@ops_channel', 'again', { reply_parameters: { message_id: 1 } });
    expect(double.messages).to.deep.equal(['Disk full', 'again']);
    const error = (await fails(api.sendMessage(5, 'Disk full'))) as GrammyError;
    expect(error).to.be.instanceOf(GrammyError);
    expect([error.error_code, error.description]).to.deep.equal([400, 'Bad Request: chat not found']);
    const stranger = new Api(`1:${'x'.repeat(35)}`, { apiRoot });
    expect(((await fails(stranger.getMe())) as GrammyError).error_code).to.equal(401);
  });

  it('answer discord.js as Discord does', async () => {
    const double = discordDouble();
    const rest = new REST({ version: '10', api: `${await start(double)}/api`, retries: 0 }).setToken(discordToken);
    expect(await rest.get('/users/@me')).to.include({ bot: true });
    const body = { content: 'Disk full', nonce: 'n1', enforce_nonce: true, allowed_mentions: { parse: [] } };
    const post = async (to: string, what: object) => rest.post(`/channels/${to}/messages`, { body: what });
    const first = await post('881234567890123456', body);
    expect(first).to.include({ content: 'Disk full', channel_id: '881234567890123456' });
    expect(await post('881234567890123456', body)).to.deep.equal(first);
    expect(double.messages).to.have.length(1);
    const unknown = (await fails(post('1', body))) as DiscordAPIError;
    expect(unknown).to.be.instanceOf(DiscordAPIError);
    expect([unknown.status, unknown.code]).to.deep.equal([404, 10003]);
    const long = (await fails(post('881234567890123456', { content: 'x'.repeat(2001) }))) as DiscordAPIError;
    expect([long.status, long.code]).to.deep.equal([400, 50035]);
  });
});
