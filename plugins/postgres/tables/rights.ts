import { ConfigError } from '../../../kernel/engine.ts';
import type { PostgresAddress } from '../connection/address.ts';

import { Refused } from '../connection/flush.ts';
import { whileOthersWait } from './migration.ts';
import { ask, bind, type Session } from '../connection/session.ts';

/** The address by which tables are made: that of the role for migrations, where there is one. */
export function ownerOf({ migration, ...address }: PostgresAddress): PostgresAddress {
  return migration ?? address;
}

const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const lacking = rights.map((right) => `has_table_privilege(?, c.oid, '${right}')`).join(' AND ');
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Gives the role that serves what it lacks on the tables that the role for migrations owns. Does nothing without a role
 * for migrations. Throws ConfigError when a right cannot be given.
 */
export async function grantRights(making: Session, address: PostgresAddress): Promise<void> {
  const { migration, connect } = address;
  if (migration === undefined) return;
  await whileOthersWait(making, () => grantAll(making, connect.user)).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    throw new ConfigError([
      `ORB_STORE_MIGRATION_URL: the role of ${migration.shown} cannot give ${connect.user} its rights: ${error.message}`,
    ]);
  });
}

// Two that grant at once would change the same row of the catalog, so only what lacks is granted, one after the other.
async function grantAll(making: Session, user: string): Promise<void> {
  const [schema, tables] = await making.flush([
    bind(
      `SELECT current_schema() AS name, CASE WHEN has_schema_privilege(?, current_schema(), 'USAGE') THEN 1 ELSE 0 END AS used`,
      [user],
    ),
    bind(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = current_schema() AND c.relkind = 'r' AND pg_has_role(current_user, c.relowner, 'USAGE')
         AND NOT (${lacking}) ORDER BY c.relname`,
      rights.map(() => user),
    ),
  ]);
  const [{ name: path, used } = {}] = schema?.rows ?? [];
  if (Number(used) === 0) await ask(making, `GRANT USAGE ON SCHEMA ${quoted(String(path))} TO ${quoted(user)}`);
  const names = (tables?.rows ?? []).map(({ name }) => quoted(String(name)));
  if (names.length > 0) await ask(making, `GRANT ${rights.join(', ')} ON ${names.join(', ')} TO ${quoted(user)}`);
}
