import { PlatformError, type Fault } from '../../../kernel/index.ts';
import { objectiveMaximumMs, type ManifestKey } from '../../ledger/contract.ts';
import { confusable } from './confusable.ts';
import { nameOf, type ListingTexts } from '../listing.ts';
import { faultOfSignature } from './manifest-signature.ts';
import { problems } from '../problems.ts';
import { readmeLimit } from '../readme.ts';
import type { PublishBody } from './publish-request.ts';
import type { Orb } from '../../runtime/contract.ts';

/** Throws 422 `listing_invalid` with all faults, if there are any. */
export function refuseFaults(errors: readonly Fault[]): void {
  if (errors.length === 0) return;
  const detail = errors.map(({ pointer, detail: what }) => `${pointer} ${what}`).join('; ');
  throw new PlatformError(problems.listing_invalid, detail, { errors });
}

/** Input of the rules. */
export interface Candidate {
  readonly body: PublishBody;
  readonly orb: Orb;
  readonly texts: ListingTexts;
  /** The key granted to the namespace. */
  readonly manifestKey: ManifestKey | undefined;
  /** Names that other tenants have published. */
  readonly foreignNames: readonly string[];
  /** The caller is allowed to accept a confusable name, and does. */
  readonly nameAllowed: boolean;
}

/** Lists every rule that a listing breaks, each with how to fix it. */
export function brokenRules(candidate: Candidate): readonly Fault[] {
  const rules = [digestRule, signatureRule, titleRule, descriptionRule, readmeRule, objectiveRule, nameRule];
  return rules.flatMap((rule) => rule(candidate));
}

function digestRule({ body, orb }: Candidate): Fault[] {
  if (body.manifest_digest === undefined || body.manifest_digest === orb.digest) return [];
  return [{ pointer: '#/manifest_digest', detail: `must be that of this installation's manifest, ${orb.digest}` }];
}

function signatureRule({ body, orb, manifestKey }: Candidate): Fault[] {
  if (body.signature === undefined) return [];
  const detail = faultOfSignature(body.signature, orb.manifest, manifestKey);
  return detail === undefined ? [] : [{ pointer: '#/signature', detail }];
}

function titleRule({ texts: { title } }: Candidate): Fault[] {
  const detail = title.trim() === '' ? 'must not be empty' : faultOfLine(title);
  return detail === undefined ? [] : [{ pointer: '#/listing/title', detail }];
}

function descriptionRule({ texts: { description } }: Candidate): Fault[] {
  const { length } = [...description];
  const detail =
    length < 1 || length > 100 || description.trim() === ''
      ? `must have 1 to 100 characters and has ${length}; send listing.description`
      : faultOfLine(description);
  return detail === undefined ? [] : [{ pointer: '#/listing/description', detail }];
}

// A newline, a control character or a character that changes the writing direction can make a line look like another.
function faultOfLine(line: string): string | undefined {
  return /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(line)
    ? 'must be one line without control characters'
    : undefined;
}

function readmeRule({ texts: { readme } }: Candidate): Fault[] {
  const bytes = Buffer.byteLength(readme);
  const pointer = '#/listing/readme';
  if (bytes > readmeLimit) return [{ pointer, detail: `must have at most ${readmeLimit} bytes and has ${bytes}` }];
  if (/[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/u.test(readme))
    return [{ pointer, detail: 'must be Markdown without control characters' }];
  return [];
}

function objectiveRule({ orb: { manifest } }: Candidate): Fault[] {
  const { action_class, latency_objective_ms: objective } = manifest;
  const limit = objectiveMaximumMs[action_class];
  if (objective === undefined || objective <= limit) return [];
  const detail = `the manifest's latency_objective_ms is ${objective}; of ${action_class} it must be at most ${limit}`;
  return [{ pointer: '#/orb_id', detail }];
}

function nameRule({ orb, foreignNames, nameAllowed }: Candidate): Fault[] {
  const name = nameOf(orb);
  const other = nameAllowed ? undefined : foreignNames.find((foreign) => confusable(name, foreign));
  if (other === undefined) return [];
  const detail = `looks like ${other} of another publisher; rename it, or ask the operator to allow it`;
  return [{ pointer: '#/orb_id', detail }];
}
