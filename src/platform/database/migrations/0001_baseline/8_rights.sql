-- The api says neither what is on the ledger, nor what has passed a vote, nor what is chained in the audit log. Rights are given by column
-- (src/platform/database/roles), and `state`, `status` and `seq` are columns that it has to write: these triggers say which of their values. They hold for
-- each process that may not write what was signed. Each condition is part of its trigger, so that an honest row calls no function.

-- The rows that are `refused` call the function `refusal`. For use in migrations.
create function restrict_role(of_table text, operation text, refused text, refusal text default 'refuse_row') returns void
language plpgsql as $make$
  begin
    execute format('create trigger %1$s_restricted_on_%2$s after %2$s on %1$I for each row when ((%3$s) and %4$s) execute function %5$I()',
      of_table, operation, refused, $$not has_column_privilege('chain_transactions'::regclass, 'signed_cbor', 'update')$$, refusal);
  end
$make$;

-- The words of Postgres, which a run of tests searches its logs for.
create function refuse_row() returns trigger language plpgsql as $$
  begin
    raise exception 'permission denied for this % of a row of %', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
  end
$$;

select restrict_role('chain_transactions', 'insert', $$new.kind not in
  ('create_vault', 'add_asset', 'remove_asset', 'invest', 'remove_investment', 'stake', 'unstake', 'anchor', 'execute', 'return_unsolicited', 'claim')
  or new.state <> case new.signer when 'wallet' then 'awaiting_signatures' else 'pending' end$$);
select restrict_role('chain_transactions', 'update', $$new.state <> old.state and (old.state <> 'awaiting_signatures'
  or new.state <> 'pending' and (new.state <> 'expired' or new.platform_signers = '{}' or new.kind not in
    ('create_vault', 'add_asset', 'remove_asset', 'invest', 'remove_investment', 'stake', 'unstake', 'anchor', 'execute', 'return_unsolicited', 'claim')))$$);

-- An entry at a later position would be in the way of one of the worker.
create function require_state_of_transaction() returns trigger language plpgsql as $$
  begin
    if new.state in ('awaiting_signatures', 'pending', 'expired') and new.block_height is null and new.block_hash is null
      and new.state = (select state from public.chain_transactions where id = new.transaction_id)
      and new.position = (select count(*) - 1 from public.chain_transaction_history where transaction_id = new.transaction_id)
    then return null; end if;
    raise exception 'permission denied for this entry of chain_transaction_history' using errcode = 'insufficient_privilege';
  end
$$;
select restrict_role('chain_transaction_history', 'insert', 'true', 'require_state_of_transaction');

select restrict_role('assets', 'insert', $$new.status <> 'PENDING'$$);
select restrict_role('assets', 'update',
  $$new.status <> old.status and not (old.status = 'PENDING' and new.status = 'RELEASED')$$);
select restrict_role('investments', 'insert', $$new.status <> 'PENDING'$$);
select restrict_role('stakes', 'insert', $$new.status <> 'ACTIVE'$$);
select restrict_role('stakes', 'update',
  $$new.status <> old.status and not (old.status <> 'RELEASED' and new.status <> 'RELEASED')$$);
select restrict_role('proposals', 'insert', $$new.status <> 'DRAFT'$$);
select restrict_role('proposals', 'update', $$new.status <> old.status
  and not (old.status <> 'EXECUTED' and new.status = 'FAILED' or old.status = 'DRAFT' and new.status = 'ACTIVE')$$);
select restrict_role('executions', 'insert', $$new.status <> 'FROZEN'$$);
select restrict_role('executions', 'update', $$old.status <> 'FROZEN' or new.status not in ('FROZEN', 'SENT', 'VOIDED')$$);

create function require_ended_claim() returns trigger language plpgsql as $$
  begin
    if old.status = 'PENDING' and new.status = 'EXPIRED'
      and 'expired' = (select state from public.chain_transactions where id = new.claim_transaction_id)
    then return null; end if;
    raise exception 'permission denied for this status of a claim' using errcode = 'insufficient_privilege';
  end
$$;
select restrict_role('claims', 'insert', $$new.status <> 'PENDING'$$);
select restrict_role('claims', 'update', 'new.status <> old.status', 'require_ended_claim');

-- What a transaction brings or returns is one row: a second one would count, or leave, with the transaction of another. Stakes, claims and
-- executions have unique indexes instead. The argument says which other rows are of the same transaction as the row `new`, which is $1.
create function require_sole() returns trigger language plpgsql as $$
  declare is_second boolean;
  begin
    execute format('select exists (select from public.%I other where other.id <> $1.id and (%s))', tg_table_name, tg_argv[0])
      into is_second using new;
    if is_second then
      raise exception 'permission denied for this % of a row of %', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
    end if;
    return null;
  end
$$;

-- For use in migrations, as `restrict_role`.
create function restrict_to_sole(of_table text, is_same text) returns void language plpgsql as $make$
  declare
    by_role text := $$not has_column_privilege('chain_transactions'::regclass, 'signed_cbor', 'update')$$;
    is_returned text := 'new.remove_transaction_id is not null and new.remove_transaction_id is distinct from old.remove_transaction_id';
  begin
    execute format('create trigger %1$s_sole_on_insert after insert on %1$I for each row when (%2$s) execute function require_sole(%3$L)',
      of_table, by_role, is_same);
    execute format('create trigger %1$s_sole_on_update after update on %1$I for each row when (%4$s and %2$s) execute function require_sole(%3$L)',
      of_table, by_role, is_same, is_returned);
  end
$make$;
select restrict_to_sole('assets', $$other.add_transaction_id = $1.add_transaction_id and other.deposit_index = $1.deposit_index
  or other.remove_transaction_id = $1.remove_transaction_id$$);
select restrict_to_sole('investments', $$other.transaction_id = $1.transaction_id or other.remove_transaction_id = $1.remove_transaction_id$$);

-- The audit log is of the present, which a development clock may have moved, and is chained once. Events are numbered once.
create function require_present_time() returns trigger language plpgsql as $$
  begin
    if new.at between clock_timestamp() - interval '1 hour' and
      clock_timestamp() + interval '1 hour' + (select offset_ms from public.clock_offset) * interval '1 millisecond'
    then return null; end if;
    raise exception 'permission denied for an entry of the audit log that is of %', new.at using errcode = 'insufficient_privilege';
  end
$$;
select restrict_role('audit_log', 'insert',
  $$new.at not between clock_timestamp() - interval '1 hour' and clock_timestamp() + interval '1 hour'$$, 'require_present_time');
select restrict_role('audit_log', 'update', 'old.seq is not null or new.seq is null or new.chained_at is distinct from now()');
select restrict_role('outbox', 'update', 'old.seq is not null or new.seq is null');
