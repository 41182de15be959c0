import { exactly, optional, type Infer } from '../../kernel/index.ts';
import { budgetScopes, periods, units } from './settings.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const natural = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

const budget = exactly('Budget', {
  scope: { enum: budgetScopes, description: 'What it counts for' },
  subject: { ...text, description: 'The id or name of what it counts for' },
  name: optional({ ...text, description: 'The name of a key' }),
  per: { enum: periods, description: 'The window, by the calendar of UTC' },
  unit: { enum: units, description: '`nanos`: nano-dollars' },
  limit: natural('Spent, assumed and reserved together never exceed it, but by usage above what was reserved'),
  spent: natural('What calls used, as their vendors reported it'),
  assumed: natural('What calls may have used whose usage or bill is unknown: all that they had reserved'),
  reserved: natural('What calls under way may use at most'),
  starts_at: { ...time, description: 'When the window began' },
  resets_at: { ...time, description: 'When the next window begins' },
});

/** Schema of a page of budgets. */
export const budgetPage = exactly('BudgetPage', {
  budgets: {
    type: 'array',
    items: budget,
    description: 'Present windows in which there were calls, the longest first',
  },
  next_cursor: optional({ ...text, description: 'Absent on the last page' }),
});

/** A page of budgets as it is sent. */
export type BudgetPage = Infer<typeof budgetPage>;

const usage = exactly('Usage', {
  day: optional({ ...text, format: 'date', description: 'The day, UTC' }),
  tenant: optional({ ...text, description: 'The tenant' }),
  orbiset_id: optional({ ...text, description: 'The Orbiset' }),
  orb_id: optional({ ...text, description: 'The Orb' }),
  principal: optional({ ...text, description: 'The principal' }),
  key_id: optional({ ...text, description: 'The key' }),
  key_name: optional({ ...text, description: 'Its name' }),
  provider: optional({ ...text, description: 'The provider' }),
  model: optional({ ...text, description: 'The alias that callers named' }),
  calls: natural('How many calls ended that were billed, or may have been'),
  unknown_calls: natural('How many of them have no usage from their vendor'),
  unpriced_calls: natural('How many of them have no cost'),
  input_tokens: natural('Input tokens, cached ones included'),
  cache_read_tokens: natural('Those of the input that a cache read'),
  cache_write_tokens: natural('Those of the input that were written to a cache'),
  output_tokens: natural('Output tokens, reasoning included'),
  reasoning_tokens: natural('Those of the output that were reasoning'),
  cost_nanos: natural('Cost in nano-dollars of the calls that have one'),
});

/** Schema of a page of usage. */
export const usagePage = exactly('UsagePage', {
  from: { ...text, format: 'date', description: 'The first day, UTC' },
  to: { ...text, format: 'date', description: 'The last day, UTC' },
  usage: { type: 'array', items: usage, description: 'Sums, sorted by the names by which they are grouped' },
  next_cursor: optional({ ...text, description: 'Absent on the last page' }),
});

/** A page of usage as it is sent. */
export type UsagePage = Infer<typeof usagePage>;
