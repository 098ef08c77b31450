import { type Kysely, sql } from 'kysely';

/** The api says neither that a deposit, a claim or an execution is on the ledger, nor that a vote has passed: the triggers of migration 0096. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const changes = (honest: string) => `new.status <> old.status and not (${honest})`;

const statements = [
  `create function require_ended_claim() returns trigger language plpgsql as $$
    begin
      if old.status = 'PENDING' and new.status = 'EXPIRED'
        and 'expired' = (select state from public.chain_transactions where id = new.claim_transaction_id)
      then return null; end if;
      raise exception 'permission denied for this status of a claim' using errcode = 'insufficient_privilege';
    end
  $$`,
  restricted('claims', 'insert', `new.status <> 'PENDING'`),
  restricted('claims', 'update', 'new.status <> old.status', 'require_ended_claim'),
  restricted('investments', 'insert', `new.status <> 'PENDING'`),
  restricted('assets', 'insert', `new.status <> 'PENDING'`),
  restricted('assets', 'update', changes(`old.status = 'PENDING' and new.status = 'RELEASED'`)),
  restricted('stakes', 'insert', `new.status <> 'ACTIVE'`),
  restricted('stakes', 'update', changes(`old.status <> 'RELEASED' and new.status <> 'RELEASED'`)),
  restricted('executions', 'insert', `new.status <> 'FROZEN'`),
  restricted('executions', 'update', `old.status <> 'FROZEN' or new.status not in ('FROZEN', 'SENT', 'VOIDED')`),
  restricted('proposals', 'insert', `new.status <> 'DRAFT'`),
  restricted(
    'proposals',
    'update',
    changes(`old.status <> 'EXECUTED' and new.status = 'FAILED' or old.status = 'DRAFT' and new.status = 'ACTIVE'`),
  ),
];

function restricted(table: string, operation: 'insert' | 'update', refused: string, refusal = 'refuse_row'): string {
  return `select restrict_role('${table}', '${operation}', $$${refused}$$, '${refusal}')`;
}
