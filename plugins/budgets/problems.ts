import { defineProblems } from '../../kernel/index.ts';

/** Problems of budgets. */
export const problems = defineProblems({
  budget_exhausted: {
    status: 429,
    title: 'A budget is exhausted',
    cause: 'What was spent, assumed and reserved in the window leaves less than the call could use at most.',
    remedy:
      'Wait until the time that the detail names, lower max_output_tokens, or ask an operator to raise the budget.',
  },
  model_unpriced: {
    status: 422,
    title: 'The model has no price',
    cause:
      'A budget in nano-dollars applies to the call, and the price file has no price for a model that may serve it.',
    remedy: 'Ask an operator to add the price, or to set plugins.budgets.config.unpriced to allow.',
  },
  call_unbounded: {
    status: 422,
    title: 'Nothing bounds what the call may use',
    cause:
      'A budget applies, and the output has no limit, or the input holds an image, a document or audio of unknown size.',
    remedy: 'Send max_output_tokens, or ask an operator to set max_output_tokens and image_tokens of the model.',
  },
});
