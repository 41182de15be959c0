import { curlOf, type Call } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import { Code } from '../../parts/code.ts';
import { Empty, loaded } from '../../parts/notice.ts';
import { Tabs } from '../../parts/tabs.ts';
import { mcpCall, pythonOf, typescriptOf } from './snippets.ts';
import type { Manifest } from './inputs.ts';

/** A run, and the call of the API that makes it. */
export interface SameCallProps {
  readonly manifest: Manifest;
  readonly orbiset: string;
  readonly inputs: object;
  readonly sandbox: boolean;
  /** It runs in the background. */
  readonly later: boolean;
  readonly call: Call;
}

// For the answer to come, when the Orb takes all its time.
const onTheWayMs = 5000;

/** Shows a run as calls that a program makes. */
export function SameCall(props: SameCallProps) {
  const { manifest, orbiset, inputs, sandbox, later, call } = props;
  const asked = {
    ...{ origin: location.origin, orb_id: manifest.orb_id, inputs, orbiset, sandbox, later },
    key: call.headers?.['Idempotency-Key'],
    timeout_ms: manifest.timeout_ms + onTheWayMs,
  };
  return html`<section class="panel stack">
    <h2>The same call</h2>
    <p class="small muted">It takes your API key from the environment variable <code>ORB_KEY</code>.</p>
    <${Tabs}
      label="Languages"
      of=${[
        ['curl', html`<${Code} text=${curlOf(call)} label="request with curl" />`],
        ['TypeScript', html`<${Code} text=${typescriptOf(asked)} label="request with TypeScript" /><${ByClient} />`],
        ['Python', html`<${Code} text=${pythonOf(asked)} label="request with Python" /><${ByClient} />`],
        ['MCP', html`<${ByTool} ...${props} />`],
      ]}
    />
  </section>`;
}

const ByClient = () =>
  html`<p class="small muted">
    It uses a <a href="/clients" target="_blank" rel="noreferrer">client library</a>, which this server offers. It
    trusts the keys that the server has at the first use.
  </p>`;

interface Tools {
  readonly tools: readonly { readonly name: string; readonly orb_id: string }[];
}

function ByTool({ manifest: { orb_id }, orbiset, inputs, sandbox, call }: SameCallProps) {
  const tools = useGet<Tools>(`/orbisets/${encodeURIComponent(orbiset)}/mcp/tools`);
  if (tools.problem?.code === 'route_not_found')
    return html`<${Empty} title="Not available"
      ><p>The plugin <code>mcp</code> is not loaded.</p><//
    >`;
  return loaded(tools, (found) => {
    const tool = found.tools.find((one) => one.orb_id === orb_id);
    if (tool === undefined)
      return html`<${Empty} title="This Orb is not a tool of the Orbiset">
        <p>The <a href=${hrefOf(`/orbisets/${encodeURIComponent(orbiset)}`)}>Orbiset</a> says which tools it has.</p>
      <//>`;
    const same = mcpCall(orbiset, tool.name, inputs, call.headers?.['Idempotency-Key']);
    return html`<p class="small muted">
        Agents see this Orb as the tool <code>${tool.name}</code>.
        ${sandbox && html` Over MCP the key decides: with a test key it is a test, with a live key it is not.`}
      </p>
      <${Code} text=${curlOf(same)} label="request by MCP" />`;
  });
}
