// The same walk on every runtime: what it answers must be equal everywhere. `client`: the exports of the package.
export async function walk(client, { url, key, sub }) {
  const lines = [];
  const say = (...words) => lines.push(words.join(' '));
  const orb = new client.Orb(url, key, { pin: 'tofu' });
  const mail = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works. ä€😀' };

  const first = await orb.run('notify.email@1.0.0', mail, { key: `walk-${sub}` });
  say('run', first.kind, first.verified?.limits.length, first.replayed);
  const again = await orb.run('notify.email@1.0.0', mail, { key: `walk-${sub}` });
  say('again', again.kind, again.replayed, again.runId === first.runId);
  say('orThrow', first.orThrow().outputs.message_id === again.outputs?.message_id);

  const wrong = await orb.run('notify.email@1.0.0', { to: 'ada@example.com' });
  say('wrong', wrong.kind, wrong.code, wrong.errors?.length);
  const none = await orb.run('no.orb@1.0.0', {});
  say('none', none.kind, none.code);

  const receipt = await orb.receipts.get(first.receipt.receipt_id);
  const keys = (await orb.request('GET', '/.well-known/jwks.json')).body;
  const verdict = await client.verifyReceipt(receipt, keys, { runId: first.runId });
  say('receipt', verdict.verified);
  const other = await client.verifyReceipt({ ...receipt, trust_score: 100 }, keys);
  say('changed', other.verified, other.check);
  const strange = await client.verifyReceipt(receipt, { keys: [] });
  say('strange', strange.verified, strange.check);

  const queued = await orb.enqueue('notify.email@1.0.0', mail);
  const types = [];
  for await (const { type } of queued.events()) types.push(type);
  say('events', ...types);
  say('result', (await queued.result({ timeout: 30_000 })).kind);

  let listed = 0;
  for await (const run of orb.runs.list({ limit: 1 })) {
    if (run.run_id !== undefined && (listed += 1) === 2) break;
  }
  say('listed', listed);
  const { tools, call } = await orb.tools('openai');
  say(
    'tools',
    tools.some((tool) => tool.function.name === 'notify_email'),
  );
  say('call', (await call('notify_email', JSON.stringify(mail))).outcome.kind);

  const body = '{"type":"run.completed","timestamp":"t","data":{"subscription_id":"sub_1"}}';
  const secret = `whsec_${btoa('0'.repeat(32))}`;
  const hmac = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode('0'.repeat(32)),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, new TextEncoder().encode(`msg_1.1000.${body}`)));
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1000',
    'webhook-signature': `v1,${btoa(String.fromCharCode(...mac))}`,
  };
  const checked = await client.verifyWebhook(headers, body, { secrets: [secret], now: 1_000_000 });
  say('webhook', checked.ok, checked.type);
  const forged = await client.verifyWebhook(headers, `${body} `, { secrets: [secret], now: 1_000_000 });
  say('forged', forged.ok, forged.reason);

  const dead = new client.Orb(url.replace(/\d+$/, '1'), key, { verify: 'never', tries: 1 });
  const lost = await dead.run('notify.email@1.0.0', mail, { timeout: 3000 });
  say('dead', ['unreachable', 'unknown'].includes(lost.kind));
  const stopped = await orb.run('notify.email@1.0.0', mail, { signal: AbortSignal.abort() });
  say('aborted', stopped.kind, stopped.aborted);
  return lines;
}

/** What the walk answers. */
export const answers = [
  'run completed 0 false',
  'again completed true true',
  'orThrow true',
  'wrong rejected invalid_inputs 3',
  'none rejected orb_not_found',
  'receipt true',
  'changed false readable_copy_matches',
  'strange false key_trusted',
  'events run.queued run.started run.completed',
  'result completed',
  'listed 2',
  'tools true',
  'call completed',
  'webhook true run.completed',
  'forged false signature',
  'dead true',
  'aborted unreachable true',
];
