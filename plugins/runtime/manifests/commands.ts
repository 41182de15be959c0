import { readFileSync } from 'node:fs';
import type { orbDetail, orbPage } from './orb-routes.ts';
import type { orbisetPage } from './orbiset-routes.ts';
import { ClientError, defineCommand, type Command, type CommandCall, type Infer } from '../../../kernel/index.ts';
import type { CommandArgument } from '../../../kernel/runner.ts';
import { apiCommand, condition, pageOptions, listing } from '../../terminal/contract.ts';

type Orbs = Infer<typeof orbPage>;
type Orbisets = Infer<typeof orbisetPage>;
type Shown = Pick<Infer<typeof orbDetail>, 'manifest_digest'>;

const orbArgument = { name: 'orb_id', description: 'for example notify.email@1.0.0' };
const orbisetArgument = { name: 'id', description: 'for example default' };
const fileArgument = { name: 'file', description: 'the manifest as JSON; - reads standard input' };
const match = { flag: '--if-match <digest>', description: 'only if the current manifest has this digest' };
const page = pageOptions.map((option) => (option.flag.startsWith('--limit') ? { ...option, default: '100' } : option));
const show = (answer: object): string => JSON.stringify(answer, null, 2);

/** Commands `orb orbs …` and `orb orbisets …`. */
export const manifestCommands: readonly Command[] = [
  apiCommand<Orbs>({
    path: 'orbs list',
    summary: 'list the Orbs of the installation',
    options: page,
    route: 'GET /orbs',
    show: ({ orbs }) =>
      listing(
        ['ORB', 'EFFECT', 'SOURCE', 'TITLE'],
        orbs.map(({ orb_id, effect, source, title }) => [orb_id, effect, source, title]),
      ),
  }),
  apiCommand({
    path: 'orbs show',
    summary: 'show an Orb with its schemas',
    args: [orbArgument],
    route: 'GET /orbs/{orb_id}',
    show,
  }),
  put('orbs put', 'add or replace an Orb, without a restart', 'orb_id', (call, id, manifest) =>
    call.client().request<Shown>('PUT', `/orbs/${encodeURIComponent(id)}`, manifest, condition(call)),
  ),
  remove('orbs delete', 'remove an Orb; an Orb with open runs cannot be removed', orbArgument, '/orbs/{orb_id}'),
  apiCommand<Orbisets>({
    path: 'orbisets list',
    summary: "list the tenant's Orbisets",
    options: page,
    route: 'GET /orbisets',
    show: ({ orbisets }) =>
      listing(
        ['ORBISET', 'TENANT', 'SOURCE', 'ORBS'],
        orbisets.map(({ id, tenant, source, orbs }) => [id, tenant, source, orbs.join(' ')]),
      ),
  }),
  apiCommand({
    path: 'orbisets show',
    summary: 'show an Orbiset',
    args: [orbisetArgument],
    route: 'GET /orbisets/{id}',
    show,
  }),
  put('orbisets put', 'create an Orbiset, or replace the one with the same id', 'id', putOrbiset),
  remove(
    'orbisets delete',
    'remove an Orbiset; an Orbiset with open runs cannot be removed',
    orbisetArgument,
    '/orbisets/{id}',
  ),
];

function remove(path: string, summary: string, argument: CommandArgument, route: string): Command {
  return apiCommand({
    path,
    summary,
    args: [argument],
    options: [match],
    route: `DELETE ${route}`,
    value: ({ args: [deleted] }) => ({ deleted }),
    show: (_, { args: [id = ''] }) => `${id} was deleted`,
  });
}

type Put = (call: CommandCall, id: string, manifest: object) => Promise<Shown>;

function put(path: string, summary: string, member: 'id' | 'orb_id', send: Put): Command {
  return defineCommand({
    path,
    summary,
    args: [fileArgument],
    options: [match],
    async run(call) {
      const { manifest, id } = readManifest(call, member);
      const answer = await send(call, id, manifest);
      call.print(answer, `${id} is available, ${answer.manifest_digest}`);
    },
  });
}

async function putOrbiset(call: CommandCall, id: string, manifest: object): Promise<Shown> {
  const client = call.client();
  try {
    return await client.request<Shown>('PUT', `/orbisets/${encodeURIComponent(id)}`, manifest, condition(call));
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 404 || call.options['ifMatch'] !== undefined) throw error;
    return client.request<Shown>('POST', '/orbisets', manifest);
  }
}

function readManifest({ args: [file = '-'] }: CommandCall, member: 'id' | 'orb_id'): { manifest: object; id: string } {
  const manifest = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as Readonly<
    Record<string, unknown>
  > | null;
  const id = manifest?.[member];
  if (manifest === null || typeof id !== 'string') throw new Error(`the manifest has no string \`${member}\``);
  return { manifest, id };
}
