import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { operationsOf } from '../../helpers/openapi.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { shapeOf } from '../../helpers/shape.ts';
import { formatted } from '../../helpers/formatted.ts';
import { updating } from '../../helpers/updating.ts';
import { readSample } from './sample.ts';

const file = new URL('../../../plugins/docs/reference/answers.json', import.meta.url);
const shownUrl = 'http://127.0.0.1:8080';
const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

type Answers = Record<string, unknown>;

describe('the answers of the API reference', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let answers: Answers;
  before(async () => {
    platform = await startPlatform({ env: { ORB_PUBLIC_URL: shownUrl } });
    answers = shortened(await answersOf(platform), platform.url) as Answers;
    if (updating) writeFileSync(file, await formatted(answers));
  });
  after(() => platform.stop());

  it('are those of a server, in their shape (UPDATE_GOLDEN=1 writes them again)', () => {
    const shown = JSON.parse(readFileSync(file, 'utf8')) as Answers;
    expect(Object.keys(shown)).to.have.members(Object.keys(answers));
    for (const [id, answer] of Object.entries(shown)) expect(shapeOf(answer), id).to.deep.equal(shapeOf(answers[id]));
  });

  it('hold no secret, no address of a machine and no value that is only a placeholder', () => {
    const text = readFileSync(file, 'utf8');
    expect(text).to.not.match(/orb_(?:live|test)_\w|whsec_\w|127\.0\.0\.1:(?!8080)|"…"/);
  });

  it('are on the pages of their routes', async () => {
    const { body } = await platform.call('GET', '/docs/api/getRun', undefined, null);
    const { run_id } = JSON.parse(readFileSync(file, 'utf8')).getRun as { run_id: string };
    expect(String(body)).to.include(run_id);
  });
});

/** Makes the calls whose answers are shown, in an order in which each finds what it is about. */
async function answersOf(platform: TestPlatform): Promise<Answers> {
  const { call } = platform;
  const answers: Answers = {};
  const { body: document } = await call('GET', '/openapi.json');
  const routes = new Map(operationsOf(document).map(([title, { operationId }]) => [operationId, title.split(' ')]));
  const ask = async (id: string, values: Readonly<Record<string, string>> = {}, json?: object) => {
    const [method = '', path = ''] = routes.get(id) ?? expect.fail(id);
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? expect.fail(`${id}: ${name}`));
    const sent = json ?? (method === 'GET' ? undefined : (await readSample(platform, id)).body);
    const { status, body } = await call(method, target, sent);
    expect(status, `${id}: ${JSON.stringify(body)}`).to.be.within(200, 299);
    return (answers[id] = body);
  };
  const orb_id = 'notify.email@1.0.0';
  const at = { id: 'default' };
  const { run_id, receipt } = await ask('executeOrb', at, { orb_id, inputs: email });
  await ask('previewRun', at);
  await ask('getRun', { run_id });
  await ask('listRuns');
  for (const id of ['getReceipt', 'proveReceipt']) await ask(id, receipt);
  await ask('verifyReceipt', {}, answers['getReceipt'] as object);
  for (const id of ['listReceipts', 'listOrbs', 'listOrbisets', 'listProviders', 'listSigningKeys']) await ask(id);
  await ask('getOrb', { orb_id });
  await ask('getOrbiset', at);
  await ask('getProviderStatus', { orb_id });
  const { key } = await ask('createKey');
  expect(key).to.be.a('string');
  for (const id of ['listKeys', 'getOwnKey']) await ask(id);
  const schedule = await ask('createSchedule', at);
  await ask('getSchedule', { ...at, schedule_id: schedule.schedule_id ?? schedule.schedule?.schedule_id });
  await ask('createSubscription', at);
  await ask('listSubscriptions', at);
  await ask('listPolicies');
  const made = await ask('createSource');
  await ask('listSources');
  expect(made).to.be.an('object');
  // Before there is an incident, whose way to the public status takes a moment.
  await ask('getStatus');
  const { incident_id } = await ask('openIncident');
  await ask('getIncident', { incident_id });
  for (const id of ['addIncidentNote', 'resolveIncident']) await ask(id, { incident_id });
  for (const id of ['createOrbiset', 'planMaintenance', 'listNamespaces']) await ask(id);
  await ask('putOrb', { orb_id: 'demo.greet@1.0.0' });
  await ask('swapProvider', { orb_id });
  await ask('listSwaps');
  await ask('publishOrb');
  for (const id of ['listPublicListings', 'getHealth', 'getPublicKeys']) await ask(id);
  await ask('getReputation', { orb_id });
  return answers;
}

/** Shows one element of each list, the beginning of a long text, and no secret. */
function shortened(value: unknown, url: string): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((one) => shortened(one, url));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member, url)]));
  if (typeof value !== 'string') return value;
  const plain = value.replaceAll(url, shownUrl).replace(/(orb_live_|orb_test_|whsec_|\/hooks\/)[\w+/=-]+…?/g, '$1…');
  return plain.length > 160 && !plain.includes(' ') ? `${plain.slice(0, 80)}…` : plain;
}
