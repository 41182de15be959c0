import type { Call } from '../../frame/api.ts';
import type { Reading } from '../../frame/resource.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import type { Model } from '../../frame/wire.ts';
import { useState } from 'preact/hooks';
import { onSubmit } from '../../frame/call.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { ApiCall } from '../../parts/code.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { AnswerPanel } from './answer.ts';
import { useAnswer } from './asking.ts';
import { loadedModels, OrbisetField, pathOf } from './orbiset.ts';

/** Asks a model by hand: the answer streams in, then its usage, cost and receipt are shown. */
export function Playground({ query }: ScreenProps) {
  const { orbiset_id: orbiset = 'default' } = query;
  const models: Reading<{ readonly data: readonly Model[] }> = useGet(pathOf(orbiset, '/models'));
  return html`<${Page}
    title="Playground"
    about="Ask a model by its alias. Each message is a run with a policy, a receipt and, with a live key, a cost."
  >
    <${OrbisetField} screen="/playground" value=${orbiset} query=${query} />
    ${loadedModels(
      models,
      ({ data }) => html`<${Asking} names=${data.map(({ id }) => id)} orbiset=${orbiset} query=${query} />`,
    )}
  <//>`;
}

interface AskingProps {
  readonly names: readonly string[];
  readonly orbiset: string;
  readonly query: ScreenProps['query'];
}

function Asking({ names, orbiset, query }: AskingProps) {
  const { model = names[0] ?? '' } = query;
  const [text, setText] = useState('');
  const [most, setMost] = useState('');
  const answer = useAnswer();
  const choose = (chosen: string): void => go(hrefOf('/playground', { ...query, model: chosen }), { replace: true });
  const limit = Number.parseInt(most, 10);
  const call: Call = {
    method: 'POST',
    path: pathOf(orbiset, '/chat/completions'),
    body: {
      ...{ model, messages: [{ role: 'user', content: text }] },
      ...(limit > 0 ? { max_completion_tokens: limit } : {}),
      ...{ stream: true, stream_options: { include_usage: true } },
    },
  };
  const ready = model !== '' && text.trim() !== '' && !answer.busy;
  return html`<div class="columns">
    <form class="panel stack" onSubmit=${onSubmit(() => ready && answer.ask(call))}>
      <${ModelField} names=${names} value=${model} onChange=${choose} />
      <${TextField} label="Message" value=${text} onChange=${setText} lines=${6} />
      <${TextField}
        label="Most output tokens"
        hint="Budgets need a limit: this one, or that of the model."
        type="number"
        value=${most}
        onChange=${setMost}
        required=${false}
      />
      <div class="row end">
        <button class="button button-quiet" type="button" aria-disabled=${!answer.busy} onClick=${answer.stop}>
          Stop
        </button>
        <button class="button" type="submit" aria-disabled=${!ready}>${answer.busy ? 'Answering…' : 'Send'}</button>
      </div>
      <${ApiCall} call=${call} />
    </form>
    <${AnswerPanel} of=${answer} />
  </div>`;
}

interface ModelFieldProps {
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

// A provider that lists no names takes any.
function ModelField({ names, value, onChange }: ModelFieldProps) {
  if (names.length === 0) return html`<${TextField} label="Model" value=${value} onChange=${onChange} code />`;
  const all = names.includes(value) ? names : [value, ...names];
  return html`<${SelectField}
    label="Model"
    value=${value}
    options=${all.map((one) => [one, one])}
    onChange=${onChange}
  />`;
}
