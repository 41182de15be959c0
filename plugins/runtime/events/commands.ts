import { ClientError, type Client, defineCommand, type Command, type Infer } from '../../../kernel/index.ts';
import { apiCommand, listing } from '../../terminal/contract.ts';
import { readEvents, type ReadEvent } from './event-stream.ts';
import type { recentEvents } from './recent.ts';

type Recent = Infer<typeof recentEvents>;

const againMs = 1000;

/** Commands `orb events …`. */
export const eventCommands: readonly Command[] = [
  apiCommand<Recent>({
    path: 'events list',
    summary: 'list the newest events',
    options: [
      { flag: '--types <types>', description: 'event types, for example run.completed,swap.*; default: all' },
      { flag: '--limit <n>', description: 'maximum number of events, up to 200', default: '50' },
    ],
    route: 'GET /events/recent',
    show: ({ events }) =>
      listing(
        ['TIME', 'TYPE', 'ABOUT'],
        events.map(({ data, timestamp, type }) => [timestamp, type, membersOf(data)]),
      ),
  }),
  defineCommand({
    path: 'events tail',
    summary: 'print events as they happen, until you stop the command',
    options: [
      { flag: '--types <types>', description: 'event types, for example run.completed,swap.*; default: all' },
      { flag: '--run <run_id>', description: 'only events of this run, until it ends' },
      { flag: '--after <id>', description: 'continue after this event; at most 7 days back' },
    ],
    async run({ client, options, print, note }) {
      const query = new URLSearchParams();
      for (const [name, option] of [['types', 'types'] as const, ['run_id', 'run'] as const])
        if (typeof options[option] === 'string') query.set(name, options[option]);
      let last = typeof options['after'] === 'string' ? options['after'] : '';
      // This request shows what is wrong with the key or the address. Later failures may be a restart of the server,
      // after which the stream resumes after the last event.
      await client().request('GET', '/keys/self');
      for (;;) {
        const over = await tail(client(), { query, last }, (event) => {
          last = event.id;
          if (event.event === 'gap') note('events are missing: the event to continue from is no longer kept');
          else if (event.data !== '' && event.event !== 'end') print(JSON.parse(event.data), lineOf(event));
        });
        if (over) return;
        note('the stream ended; reconnecting');
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    },
  }),
];

// True when the run that was asked for has ended.
async function tail(
  client: Client,
  { query, last }: { readonly query: URLSearchParams; readonly last: string },
  each: (event: ReadEvent) => void,
): Promise<boolean> {
  const headers: Record<string, string> = last === '' ? {} : { 'last-event-id': last };
  const response = await client.open('GET', `/events?${query.toString()}`, { headers }).catch(() => undefined);
  if (response?.status === 204) return true;
  if (response !== undefined && !response.ok && response.status < 500) throw await refusal(response);
  try {
    for await (const event of readEvents(response?.ok === true ? (response.body ?? []) : [])) {
      each(event);
      if (event.event === 'end') return true;
    }
  } catch {
    // A cut connection; the caller opens another.
  }
  return false;
}

async function refusal(response: Response): Promise<ClientError> {
  const problem = (await response.json()) as { readonly detail?: string };
  const { detail = `the server responded with status ${response.status}` } = problem;
  return new ClientError(detail, response.status, problem);
}

function lineOf({ data }: ReadEvent): string {
  const { type, timestamp, data: said } = JSON.parse(data) as { type: string; timestamp: string; data: object };
  return `${timestamp} ${type} ${membersOf(said)}`.trimEnd();
}

function membersOf(data: object): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
