import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import type { WorkflowStart } from './messages.ts';

/** Temporal refuses a start whose summary is longer than 400 bytes; a character has at most 4. */
const LONGEST_NAME = 60;

/** Name and type of the vaults and proposals that are to be started, by id. An operator sees them in the Temporal UI. */
export async function readTitles(tx: Transaction, starts: readonly WorkflowStart[]): Promise<Map<string, string>> {
  const vaults = starts.flatMap((start) => (start.workflow === 'vault' ? [start.vaultId] : [])).filter(isUuid);
  const proposals = starts.flatMap((start) => (start.workflow === 'proposal' ? [start.proposalId] : [])).filter(isUuid);
  if (vaults.length + proposals.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string; type: string }>`
    select id, name, coalesce(custom_type, type) as type from vaults where id = any(${vaults})
    union all
    select id, title, type from proposals where id = any(${proposals})
  `.execute(tx);
  return new Map(rows.map(({ id, name, type }) => [id, `${shortened(name)} (${type})`]));
}

/** A damaged message has no title, and the others are sent. */
function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME).join('')}…` : name;
}
