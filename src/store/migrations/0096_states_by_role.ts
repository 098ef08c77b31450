import { type Kysely, sql } from 'kysely';

/**
 * The api says neither that a transaction is on the ledger, nor what is chained in the audit log. Rights are given by column, and `state` and
 * `seq` are columns that it has to write: these triggers say which of their values. They hold for each process that may not write what was
 * signed. Each condition is part of its trigger, so that a row that is as it has to be calls no function.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const isRestricted = `not has_column_privilege('chain_transactions'::regclass, 'signed_cbor', 'update')`;

const madeByApi = `('create_vault', 'add_asset', 'remove_asset', 'invest', 'remove_investment', 'stake', 'unstake', 'anchor', 'execute',
  'return_unsolicited', 'claim')`;

const statements = [
  // For use in migrations: "refused" says which rows the function "refusal" is called for.
  `create function restrict_role(of_table text, operation text, refused text, refusal text) returns void language plpgsql as $make$
    begin
      execute format('create trigger %1$s_restricted_on_%2$s after %2$s on %1$I for each row when ((%3$s) and %4$s)
        execute function %5$I()', of_table, operation, refused, $of$${isRestricted}$of$, refusal);
    end
  $make$`,
  // The words of Postgres, which a run of tests searches its logs for.
  `create function refuse_row() returns trigger language plpgsql as $$
    begin
      raise exception 'permission denied for this % of a row of %', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
    end
  $$`,
  // An entry at a later position would be in the way of one of the worker. Tables are named with their schema: others could hide them.
  `create function require_state_of_transaction() returns trigger language plpgsql as $$
    begin
      if new.state in ('awaiting_signatures', 'pending', 'expired') and new.block_height is null and new.block_hash is null
        and new.state = (select state from public.chain_transactions where id = new.transaction_id)
        and new.position = (select count(*) - 1 from public.chain_transaction_history where transaction_id = new.transaction_id)
      then return null; end if;
      raise exception 'permission denied for this entry of chain_transaction_history' using errcode = 'insufficient_privilege';
    end
  $$`,
  // Of a development clock, which was moved, the hour is around what it says.
  `create function require_present_time() returns trigger language plpgsql as $$
    begin
      if new.at between clock_timestamp() - interval '1 hour' and
        clock_timestamp() + interval '1 hour' + (select offset_ms from public.clock_offset) * interval '1 millisecond'
      then return null; end if;
      raise exception 'permission denied for an entry of the audit log that is of %', new.at using errcode = 'insufficient_privilege';
    end
  $$`,
  `select restrict_role('chain_transactions', 'insert', $$new.kind not in ${madeByApi}
    or new.state <> case new.signer when 'wallet' then 'awaiting_signatures' else 'pending' end$$, 'refuse_row')`,
  `select restrict_role('chain_transactions', 'update', $$new.state <> old.state and (old.state <> 'awaiting_signatures'
    or new.state <> 'pending' and (new.state <> 'expired' or new.kind not in ${madeByApi} or new.platform_signers = '{}'))$$, 'refuse_row')`,
  `select restrict_role('chain_transaction_history', 'insert', 'true', 'require_state_of_transaction')`,
  `select restrict_role('audit_log', 'insert',
    $$new.at not between clock_timestamp() - interval '1 hour' and clock_timestamp() + interval '1 hour'$$, 'require_present_time')`,
  `select restrict_role('audit_log', 'update',
    $$old.seq is not null or new.seq is null or new.chained_at is distinct from now()$$, 'refuse_row')`,
  `select restrict_role('outbox', 'update', 'old.seq is not null or new.seq is null', 'refuse_row')`,
];
