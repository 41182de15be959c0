import type { ProblemType } from '../../../kernel/index.ts';

/** Why a problem arises and what to do, for people; each one sentence or two. */
export interface Explanation {
  readonly cause: string;
  readonly remedy: string;
}

const said = (cause: string, remedy: string): Explanation => ({ cause, remedy });
const fixAndSend = 'Correct the places that `errors` or `detail` names, then send the request again.';
const lookUp = (what: string, list: string): string => `Check the id of the ${what}; ${list} lists all of them.`;

const explanations: Readonly<Record<string, Explanation>> = {
  malformed_request: said(
    'The bytes of the request are not valid HTTP, or a header that may appear once appears twice. The usual cause is a proxy or a hand-written client.',
    'Use a standard HTTP client, and check whether a proxy in front of the server changes the request.',
  ),
  malformed_json: said(
    'The body is not JSON, contains a member twice, or is nested too deeply.',
    'Check the body with a JSON parser; `detail` names the place.',
  ),
  invalid_parameter: said(
    'A parameter of the path or the query is unknown, missing or outside its limits.',
    `${fixAndSend} The API reference lists the parameters of each route.`,
  ),
  unauthenticated: said(
    'The request has no API key, or one that this server does not accept: `detail` says whether it is missing, malformed, unknown, revoked or expired. For a webhook, `detail` says which header its source expects.',
    'Do what `detail` says; usually: send `Authorization: Bearer <key>` with a valid key. An operator creates keys with `orb keys create`.',
  ),
  access_denied: said(
    'A policy of the operator denied the action; `reasons` says why.',
    'Change the request so that the policy allows it, or ask the operator. `decision_id` names the decision.',
  ),
  approval_required: said(
    'A policy of the operator says that people must approve the run first, and the run was not held for them; `detail` names the group, and `reasons` says why.',
    'Call without `hold: refuse`, and wait for the approval.',
  ),
  approval_refused: said(
    'One of the people who were asked refused the run. Nothing was sent.',
    'Read the comment in the approval. A changed call asks them again.',
  ),
  approval_expired: said(
    'The people who were asked did not approve the run in time. Nothing was sent.',
    'Tell one of them, and call again.',
  ),
  approval_backlog: said(
    'As many runs wait for the same people as may wait. Nothing was sent.',
    'Wait until some of them are decided, then call again.',
  ),
  insufficient_scope: said(
    'The key is valid, but it lacks a scope for this route or this Orb. The header WWW-Authenticate names the scope.',
    'Use a key that has the scope. An operator creates one with `orb keys create --scope …`.',
  ),
  key_required: said(
    'The caller is signed in with a browser session. Some actions need the key itself: to activate policies, change signing keys, withdraw a version or create an admin key.',
    'Send the request again with `Authorization: Bearer <key>`. The page that you signed in on asks for the key.',
  ),
  tls_required: said(
    'A key was sent from another machine over plain HTTP. Others on the network may have read it.',
    'Replace the key, then use https. Operators set `tls`, or `trust_proxy` for a proxy that terminates TLS.',
  ),
  route_not_found: said(
    'The path is wrong, the resource never existed, or another listener serves this route.',
    'Check the path and the port. The documentation and /openapi.json list every route.',
  ),
  orb_not_found: said('No Orb has this id and version, or the key has no access to it.', lookUp('Orb', '`GET /orbs`')),
  orbiset_not_found: said('No Orbiset has this id.', lookUp('Orbiset', '`GET /orbisets`')),
  run_not_found: said('No run has this id, or it belongs to another tenant.', lookUp('run', '`GET /runs`')),
  swap_not_found: said('No swap has this id.', lookUp('swap', '`GET /swaps`')),
  node_not_found: said('No node has this name.', lookUp('node', '`GET /nodes`')),
  key_not_found: said('No key has this id.', lookUp('key', '`GET /keys`')),
  principal_not_found: said('No principal has this id.', 'Check the id, or omit `principal` to create a new one.'),
  method_not_allowed: said('The path exists, but not with this method.', 'Use one of the methods in the header Allow.'),
  request_timeout: said(
    'The request did not arrive completely in time. The connection is slow or was interrupted.',
    'Send the request again, over a faster connection or in smaller parts.',
  ),
  idempotency_in_progress: said(
    'The first request with this Idempotency-Key has not been answered yet.',
    'Wait as Retry-After says, then send the same request with the same key. You get the answer to the first one.',
  ),
  resolution_conflict: said(
    'The run is already settled, or its state does not allow the requested outcome.',
    'Read the run with `GET /runs/{run_id}`, then decide again.',
  ),
  node_alive: said(
    'The node still holds its lease and may serve requests. Only a dead node can be removed.',
    'Stop the node, or wait until its lease expires (see `GET /nodes`), then try again.',
  ),
  swap_in_progress: said(
    'The Orb is being swapped to another provider now.',
    'Wait until `GET /providers/{orb_id}/status` shows that the swap is done, then try again.',
  ),
  defined_in_file: said(
    "A file in the operator's home folder defines the manifest or the provider, so the API cannot change it.",
    'Change the file and restart the server (providers: reload the configuration), or use another id.',
  ),
  provider_in_use: said(
    'The provider serves an Orb, by a swap or as the first of its order.',
    'Swap the Orb to another provider, then send the request again.',
  ),
  manifest_used: said(
    'A run, a receipt or a publication refers to the manifest, so its content is final.',
    'Give the changed manifest a new version.',
  ),
  manifest_limit: said('The store has reached its limit of manifests.', 'Delete manifests that are not used.'),
  orbiset_exists: said('Another Orbiset already has this id.', 'Choose another id, or change the existing Orbiset.'),
  runs_open: said(
    'It cannot be deleted yet, because runs that use it have not ended.',
    'Wait until they end, or resolve those with an unknown outcome; then send the request again.',
  ),
  run_settled: said(
    'The same call was made before, and a person resolved it as done. Its outputs are unknown.',
    'Do not repeat the call: its effect has happened. To have the effect twice, make a call with another Idempotency-Key.',
  ),
  caller_gone: said(
    'The connection of the caller ended before the answer was whole, and the run ended with it.',
    'Send it again with a new Idempotency-Key. The provider may bill both.',
  ),
  run_cancelled: said(
    'The run was cancelled before it was sent to a provider.',
    'Call again if you still need the run.',
  ),
  run_dispatched: said(
    'The run was sent to a provider before it could be cancelled. Its effect may have happened.',
    'Wait until the run ends: `GET /runs/{run_id}?wait=60`.',
  ),
  run_ended: said('The run ended before it could be cancelled.', '`GET /runs/{run_id}` shows how it ended.'),
  precondition_failed: said(
    'If-Match or If-None-Match does not match the current version: another request changed it in the meantime.',
    'Read the current version, apply your change to it, and send its ETag.',
  ),
  payload_too_large: said(
    'The body is larger than this route accepts.',
    'Send a smaller body, or split it into several requests.',
  ),
  unsupported_media_type: said(
    'The route does not accept the Content-Type or the Content-Encoding of the body.',
    'Send JSON as `Content-Type: application/json`, without a Content-Encoding.',
  ),
  invalid_body: said('The body is JSON, but does not fit the schema of the route.', fixAndSend),
  invalid_inputs: said(
    'The inputs do not fit the schema of the Orb; nothing was sent to a provider.',
    `${fixAndSend} \`GET /orbs/{orb_id}\` shows the schema.`,
  ),
  provider_rejected: said(
    'The provider rejected the request, for example because an address is invalid. It did nothing.',
    'Read `detail`, change the inputs and call again. `provider_reason`, if present, says what to change; remove a recipient that is gone or blocked.',
  ),
  invalid_provider: said(
    'The provider does not exist, or it does not offer the capability that the Orb needs.',
    'Name a provider with the capability of the Orb; `GET /providers/{orb_id}/status` lists them.',
  ),
  idempotency_mismatch: said(
    'The Idempotency-Key was used before, with another body.',
    'Use a new key for each new request. Use the same key only to repeat the same request.',
  ),
  invalid_configuration: said(
    "The operator's configuration is invalid. The server continues with the previous configuration.",
    'Correct the errors that `errors` lists, then reload. `orb config check` lists them too.',
  ),
  queue_full: said(
    'The queue of this tenant, or of all tenants, is full, so the run was not accepted.',
    'Wait as Retry-After says. Check whether a provider is down: `GET /runs?status=queued` lists the waiting runs.',
  ),
  rate_limited: said(
    'The key, the address or the provider has reached its rate limit.',
    'Wait as Retry-After says. The headers RateLimit and RateLimit-Policy show how many requests are left.',
  ),
  header_fields_too_large: said(
    'The headers of the request are larger than 16 KB. Cookies of other programs on the same host can cause this.',
    'Send fewer or shorter headers. In a browser, delete the cookies of this host.',
  ),
  unsupported_coding: said(
    'The request has a Transfer-Encoding other than chunked.',
    'Send the body with `Transfer-Encoding: chunked` or with Content-Length.',
  ),
  internal: said(
    "The server has a defect or reached an unexpected state. The operator's log has the details.",
    'Give the request id to the operator. Before you repeat a request that changes data, check whether it took effect.',
  ),
  provider_failed: said(
    'Every provider that was tried failed, and none of them had an effect.',
    'Call again later. The status page shows known incidents; operators can swap to another provider.',
  ),
  invalid_outputs: said(
    'The provider did the work, but its answer does not fit the schema of the Orb.',
    'Do not repeat the call without a check: its effect has happened. Report `run_id` to the operator.',
  ),
  definition_changed: said(
    'The server that offers the tool has changed or removed it since the Orb was imported. Nothing was sent.',
    'An operator must check the new definition, import the tool again and delete the old Orb.',
  ),
  probe_failed: said(
    'The new provider could not be opened or failed its health check. The old provider still serves.',
    'Check the configuration of the provider and the network to it, then swap again.',
  ),
  provider_unavailable: said(
    'No provider of the Orb could be reached, or all of them are paused after failures. Nothing was sent.',
    'Wait as Retry-After says and call again. Operators see the state with `orb providers status`.',
  ),
  no_provider_allowed: said(
    'The Orb has providers, but the policy or the mode of the key (live or test) allows none of them.',
    'Use a key of the mode that the providers serve, or ask the operator.',
  ),
  policy_unavailable: said(
    'The policies are invalid or could not be evaluated. Without a decision the server refuses the action.',
    'Call again later. Operators check `GET /policies/-/status`.',
  ),
  storage_unavailable: said(
    'The store cannot be written, for example because the disk is full. Without a record the server does nothing.',
    'Call again later. If the answer names a run, its effect may have happened: `GET /runs/{run_id}` shows it when the ' +
      'store is back. Operators check the disk and `GET /health/ready`.',
  ),
  overloaded: said(
    'The server has more waiting work than it can do in time.',
    'Wait as Retry-After says, and send fewer requests at the same time.',
  ),
  draining: said(
    'This instance is shutting down, for example for an update.',
    'Call another instance now, or this one in a few seconds.',
  ),
  run_timed_out: said(
    'The run did not end before its deadline. It is safe to repeat: nothing was sent, or the Orb has the effect `none` or `idempotent`.',
    'Send it again with a longer `timeout_ms` and a new Idempotency-Key.',
  ),
  stream_interrupted: said(
    'The provider broke off after a part of its answer. No other provider was asked, because the caller had that part already.',
    'Send it again with a new Idempotency-Key. The provider may bill both.',
  ),
  outcome_unknown: said(
    'The request was sent, but no answer came. The provider may or may not have done the work.',
    'Do not repeat the call without a check. Read the run later, or ask an operator to resolve it with `orb runs resolve`.',
  ),
};

/** Explains a problem type: by its own words, by those above, or by what its status says. */
export function explain({ code, cause, remedy, title, retryable }: ProblemType): Explanation {
  const found = Object.hasOwn(explanations, code) ? explanations[code] : undefined;
  return {
    cause: plain(cause ?? found?.cause ?? `${title}.`),
    remedy: plain(
      remedy ??
        found?.remedy ??
        (retryable ? 'Wait, then send the same request again.' : 'Change the request as `detail` says.'),
    ),
  };
}

// The marks of code help in a source, not on a page.
function plain(text: string): string {
  return text.replaceAll('`', '');
}
