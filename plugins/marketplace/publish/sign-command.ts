import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  canonical,
  defineCommand,
  digest,
  replaceFileSync,
  type Command,
  type CommandCall,
  program,
} from '../../../kernel/index.ts';
import { manifestKeyOf, signManifest } from './manifest-signature.ts';
import { orbId, type OrbManifest } from '../../runtime/contract.ts';

/** `orb orbs sign`: signs a manifest, and makes the key if it does not exist. Needs no server. */
export const signOrb: Command = defineCommand({
  path: 'orbs sign',
  summary: "sign an Orb's manifest with the key of its namespace",
  args: [{ name: 'orb_id', description: 'for example notify.email@1.0.0' }],
  options: [
    { flag: '--key <file>', description: 'Ed25519 private key, PKCS#8 PEM; created (0600) if it does not exist' },
  ],
  run: (call) => Promise.resolve(sign(call)),
});

function sign(call: CommandCall): number {
  const [orb_id = ''] = call.args;
  const { key: keyFile } = call.options;
  if (typeof keyFile !== 'string') return refused(call, 'name the signing key: --key <file>');
  if (!new RegExp(orbId.pattern).test(orb_id))
    return refused(call, `${orb_id} is not an Orb id, for example notify.email@1.0.0`);
  const home = resolve(call.env['ORB_HOME'] ?? '.');
  const manifest = readManifest(home, orb_id);
  if (manifest === undefined) return refused(call, `there is no manifest of ${orb_id} in data/orbs`);
  const privateKey = keyOf(resolve(keyFile), call);
  if (privateKey.asymmetricKeyType !== 'ed25519') return refused(call, 'the key is not an Ed25519 key');
  const file = join(home, 'data/orbs', `${orb_id}.sig`);
  mkdirSync(dirname(file), { recursive: true });
  replaceFileSync(file, `${JSON.stringify(signManifest(manifest, privateKey), undefined, 2)}\n`);
  const answer = {
    orb_id,
    file,
    manifest_digest: digest(canonical(manifest)),
    manifest_key: manifestKeyOf(privateKey),
  };
  call.print(
    answer,
    `signed    ${orb_id}\nmanifest  ${answer.manifest_digest}\nfile      ${file}\nkey       ${answer.manifest_key.x}`,
  );
  const namespace = orb_id.slice(0, orb_id.lastIndexOf('.', orb_id.indexOf('@')));
  call.note(
    `It counts once the key is granted: orb namespaces grant ${namespace} --manifest-key ${answer.manifest_key.x}`,
  );
  return 0;
}

// EX_USAGE of sysexits.h.
const exitUsage = 64;

function refused(call: CommandCall, detail: string): number {
  call.note(detail);
  return exitUsage;
}

function readManifest(home: string, orbId: string): OrbManifest | undefined {
  const file = program.dataFile(home, `orbs/${orbId}.json`);
  // No check here: the server validates the manifest before it serves it, and the signature covers its canonical form.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as OrbManifest) : undefined;
}

function keyOf(file: string, call: CommandCall): KeyObject {
  if (existsSync(file)) return createPrivateKey(readFileSync(file));
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(file), { recursive: true });
  // `wx`: never overwrites a file that was created in the meantime.
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
  call.note(`A key was created: ${file}. Keep it secret: anyone who has it can sign for the namespace.`);
  return privateKey;
}
