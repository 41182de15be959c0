import type { ProblemCode, ProblemType } from './error.ts';

/** Why a problem arises and what to do, for people; each one sentence or two. */
export interface Explanation {
  readonly cause: string;
  readonly remedy: string;
}

const said = (cause: string, remedy: string): Explanation => ({ cause, remedy });
const fixAndSend = 'Correct what `errors` or `detail` names and send the request again.';
const lookUp = (what: string, list: string): string =>
  `Check the id of the ${what}; ${list} lists those that there are.`;

const explanations: Readonly<Record<ProblemCode, Explanation>> = {
  malformed_request: said(
    'The bytes of the request are not valid HTTP, or a header stands twice that may stand once. Proxies and hand-written clients cause this.',
    'Send the request by an ordinary HTTP client, and look at what a proxy in front changes.',
  ),
  malformed_json: said(
    'The body is not JSON, holds a member twice, or is nested too deeply.',
    'Check the body with a JSON parser; `detail` names the place.',
  ),
  invalid_parameter: said(
    'A parameter of the path or the query is unknown, missing or outside of its limits.',
    `${fixAndSend} The API reference lists the parameters of each route.`,
  ),
  unauthenticated: said(
    'The request has no API key, or one that this server does not accept: `detail` says whether it is missing, malformed, unknown, revoked or expired. For a webhook, `detail` says which header its source expects.',
    'Do what `detail` says; usually: send `Authorization: Bearer <key>` with a valid key. An operator creates keys with `orb keys create`.',
  ),
  access_denied: said(
    'A policy of the operator decided against the action; `reasons` says why.',
    'Change the request so that the policy allows it, or ask the operator. `decision_id` names the decision.',
  ),
  insufficient_scope: said(
    'The key is valid, but its scopes do not cover the route, or not this Orb; the header WWW-Authenticate names the scope.',
    'Use a key that holds the scope. An operator makes one by `orb keys create --scope …`.',
  ),
  key_required: said(
    'The caller is signed in by a session of a browser, but what this does takes the key itself: it activates policies, changes signing keys, withdraws a version, or makes an admin key.',
    'Send the request again with `Authorization: Bearer <key>`. The page that signed in asks for it.',
  ),
  tls_required: said(
    'A key was sent over plain HTTP from another machine, where others may have read it.',
    'Replace the key, then call by https. Operators set `tls`, or `trust_proxy` for a proxy that ends TLS.',
  ),
  route_not_found: said(
    'The address is wrong, belongs to a service that another address serves, or what it names was never there.',
    'Check the address. The documentation and /openapi.json list every route.',
  ),
  orb_not_found: said('No Orb has this id and version, or the key may not see it.', lookUp('Orb', '`GET /orbs`')),
  orbiset_not_found: said('No Orbiset has this id.', lookUp('Orbiset', '`GET /orbisets`')),
  run_not_found: said('No run has this id, or it belongs to another tenant.', lookUp('run', '`GET /runs`')),
  swap_not_found: said('No swap has this id.', lookUp('swap', '`GET /swaps`')),
  node_not_found: said('No node of the list has this name.', lookUp('node', '`GET /nodes`')),
  key_not_found: said('No key has this id.', lookUp('key', '`GET /keys`')),
  principal_not_found: said('No principal has this id.', 'Leave `principal` out to make a new one, or check the id.'),
  method_not_allowed: said('The path exists, but not with this method.', 'Use one of the methods in the header Allow.'),
  request_timeout: said(
    'The request began but did not arrive whole in time; the connection is slow or was interrupted.',
    'Send it again, over a better connection or in smaller parts.',
  ),
  idempotency_in_progress: said(
    'The first request with this Idempotency-Key has not been answered yet.',
    'Wait as Retry-After says, then send the same request with the same key: you get the answer of the first.',
  ),
  resolution_conflict: said(
    'The run is settled already, or its state does not allow the outcome that the request names.',
    'Read the run by `GET /runs/{run_id}` and decide again.',
  ),
  node_alive: said(
    'The node still has its lease, so that it may serve; only one that has ended is taken from the list.',
    'Stop it, or wait until its lease is over as `GET /nodes` shows, and ask again.',
  ),
  swap_in_progress: said(
    'The Orb is being swapped to another provider at this moment.',
    'Wait until `GET /providers/{orb_id}/status` shows that it is done.',
  ),
  defined_in_file: said(
    'A file in the folder of the operator defines the manifest, so the API cannot change it.',
    'Change the file and reload, or use another id.',
  ),
  manifest_used: said(
    'A run, a receipt or a publication names the manifest, so its content is final.',
    'Put the change under a new version.',
  ),
  manifest_limit: said('The store holds as many manifests as it may.', 'Delete manifests that nobody uses.'),
  orbiset_exists: said('Another Orbiset has the id.', 'Choose another id, or change the Orbiset that is there.'),
  runs_open: said(
    'Runs that use it have not ended, so it cannot go yet.',
    'Wait until they have ended, or settle those whose outcome is unknown; then repeat the request.',
  ),
  run_settled: said(
    'The same call was made before, and a person settled it as done; its outputs are not known.',
    'Do not repeat it: what it was to do is done. Make another call if you want it twice.',
  ),
  run_cancelled: said(
    'The run was cancelled before a provider got it; nothing was sent.',
    'Call again if it is still wanted.',
  ),
  run_dispatched: said(
    'The run was handed to a provider before it could be cancelled, and may have its effect.',
    'Wait for its end: `GET /runs/{run_id}?wait=60`.',
  ),
  run_ended: said('The run had ended before it could be cancelled.', '`GET /runs/{run_id}` shows how it ended.'),
  precondition_failed: said(
    'If-Match or If-None-Match names another state than the present one: somebody changed it meanwhile.',
    'Read it again, apply the change to what is there now, and send the new ETag.',
  ),
  payload_too_large: said('The body has more bytes than the route takes.', 'Send less, or in several requests.'),
  unsupported_media_type: said(
    'The Content-Type or the Content-Encoding of the body is none that the route takes.',
    'Send JSON as `Content-Type: application/json`, without a Content-Encoding.',
  ),
  invalid_body: said('The body is JSON, but does not fit the schema of the route.', fixAndSend),
  invalid_inputs: said(
    'The inputs do not fit the schema of the Orb; nothing was sent to a provider.',
    `${fixAndSend} \`GET /orbs/{orb_id}\` shows the schema.`,
  ),
  provider_rejected: said(
    'The provider looked at the request and refused it, for example an address that it knows to be wrong; nothing was done.',
    'Read `detail`, change the inputs and call again.',
  ),
  invalid_provider: said(
    'The provider does not exist, or cannot serve what the Orb asks for.',
    'Name a provider of the capability of the Orb; `GET /providers/{orb_id}/status` lists them.',
  ),
  idempotency_mismatch: said(
    'The Idempotency-Key was used before, with another body.',
    'Use a new key for each new request, and the same key only to repeat the same one.',
  ),
  invalid_configuration: said(
    'The configuration of the operator has faults; what ran before goes on.',
    'Correct the faults in `errors` and reload. `orb doctor` finds them, too.',
  ),
  queue_full: said(
    'So many runs of the tenant, or of all tenants, wait for their turn that no further one is taken.',
    'Wait as Retry-After says, and look whether a provider is down: `GET /runs?status=queued` lists what waits.',
  ),
  rate_limited: said(
    'More requests came than the limit of the key, the address or the provider allows.',
    'Wait as Retry-After says. The headers RateLimit and RateLimit-Policy tell what is left.',
  ),
  header_fields_too_large: said(
    'The headers of the request are longer than 16 KB; cookies of other programs at the same host may do this.',
    'Send fewer or shorter headers; remove cookies of this host in a browser.',
  ),
  unsupported_coding: said(
    'The request has a Transfer-Encoding other than chunked.',
    'Send it chunked or with Content-Length.',
  ),
  internal: said(
    'The program has a defect, or met a state that it does not know. The log of the operator holds the details.',
    'Give the request id to the operator. Look at the state before you repeat a request that changes something.',
  ),
  provider_failed: said(
    'Each provider that could be tried failed, and none of them did the work.',
    'Call again later. The status page shows known trouble; operators can swap to another provider.',
  ),
  invalid_outputs: said(
    'The provider did the work, but its answer does not fit the schema of the Orb.',
    'Do not repeat it blindly, since the effect has happened. Tell the operator; `run_id` names the run.',
  ),
  definition_changed: said(
    'The server that offers the tool changed or removed it since the Orb was made from it; nothing was sent.',
    'An operator looks at the new definition, imports it again and deletes the old Orb.',
  ),
  probe_failed: said(
    'The new provider could not be opened or did not pass its probe, so the old one goes on serving.',
    'Check the configuration and the reach of the provider, then swap again.',
  ),
  provider_unavailable: said(
    'No provider of the Orb could be reached, or all of them are kept out because they failed; nothing was sent.',
    'Wait as Retry-After says and call again. Operators see the state by `orb providers status`.',
  ),
  no_provider_allowed: said(
    'Providers are there, but the policy or the mode of the key allows none of them.',
    'Use a key of the mode that the providers are for, or ask the operator.',
  ),
  policy_unavailable: said(
    'The policies have a fault or cannot be evaluated, and without a decision nothing is done.',
    'Call again later. Operators read `GET /policies/-/status`.',
  ),
  storage_unavailable: said(
    'The store cannot be written, for example because the disk is full, and without a record nothing is done.',
    'Call again later. If the answer names a run, it may have been done: `GET /runs/{run_id}` shows it once the store is ' +
      'back. Operators look at the disk and at `GET /health/ready`.',
  ),
  overloaded: said(
    'More work waits than the program can do in time.',
    'Wait as Retry-After says, and send less at once.',
  ),
  draining: said(
    'This instance is shutting down, for example for an update.',
    'Call again at once at another instance, or here in a few seconds.',
  ),
  run_timed_out: said(
    'The run did not end before its deadline. Nothing was sent, or the Orb has the effect `none` or `idempotent`, so that a repetition does no harm.',
    'Send it again, with more time and a new Idempotency-Key.',
  ),
  outcome_unknown: said(
    'The request left, but no answer came: the provider may have done the work or not.',
    'Do not repeat it blindly. Read the run later, or let an operator settle it by `orb runs resolve`.',
  ),
};

/** Explains a problem type: by its own words, by those of the kernel, or by what its status says. */
export function explain({ code, cause, remedy, title, retryable }: ProblemType): Explanation {
  const known: Readonly<Record<string, Explanation>> = explanations;
  const found = Object.hasOwn(known, code) ? known[code] : undefined;
  return {
    cause: plain(cause ?? found?.cause ?? `${title}.`),
    remedy: plain(
      remedy ??
        found?.remedy ??
        (retryable ? 'Wait, then send the same request again.' : 'Change the request as its `detail` says.'),
    ),
  };
}

// The marks of code help in a source, not on a page.
function plain(text: string): string {
  return text.replaceAll('`', '');
}
