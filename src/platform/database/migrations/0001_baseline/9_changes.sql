-- Each transaction records whose facts it changes, so that a process knows when what it has read is no longer true. Triggers do so: no code
-- can forget it.

-- Records the changes of a table; `subjects` selects those of the rows in `changed`. For use in migrations.
create function record_changes(of_table text, subjects text) returns void language plpgsql as $make$
  declare
    operation text;
  begin
    execute format($create$
      create function record_changes_of_%1$s() returns trigger language plpgsql as $body$
        begin
          insert into changes (subject) select distinct subject from (%2$s) as found (subject)
            where subject is not null on conflict do nothing;
          return null;
        end $body$
    $create$, of_table, subjects);
    foreach operation in array array['insert', 'update', 'delete'] loop
      execute format('create trigger changes_recorded_on_%1$s after %1$s on %2$I referencing %3$s table as changed
        for each statement execute function record_changes_of_%2$s()',
        operation, of_table, case operation when 'delete' then 'old' else 'new' end);
    end loop;
  end
$make$;

do $do$
  declare
    of_vault text;
    subjects constant text := 'select coalesce(vault_id::text, ''no vault'') from changed';
  begin
    foreach of_vault in array array['vault_keys', 'windows', 'chain_transactions', 'assets', 'investments', 'holds', 'settlements', 'entitlements',
      'outbox', 'stakes', 'anchor_facts', 'proposals', 'executions', 'unsolicited_outputs', 'terminations', 'claims', 'reconciliation_differences',
      'rotations']
    loop
      perform record_changes(of_vault, subjects);
    end loop;
  end
$do$;
select record_changes('vaults', 'select id::text from changed');
select record_changes('votes', 'select vault_id::text from changed join proposals on proposals.id = proposal_id');
select record_changes('endorsements', 'select vault_id::text from changed join proposals on proposals.id = proposal_id');
select record_changes('vote_stakes', 'select vault_id::text from changed join stakes on stakes.id = stake_id');
select record_changes('transaction_deposits', 'select vault_id::text from changed join chain_transactions t on t.id = transaction_id');
select record_changes('anchor_attempts', 'select vault_id::text from changed join chain_transactions t on t.id = transaction_id');
select record_changes('chain_transaction_history', 'select vault_id::text from changed join chain_transactions t on t.id = transaction_id');
select record_changes('anchor_batches', 'select vault_id::text from changed join anchor_facts on batch_id = changed.id');
select record_changes('prices', $$select 'prices' from changed$$);
select record_changes('pauses', $$select 'pauses' from changed$$);
select record_changes('blocks', $$select 'blocks' from changed$$);
select record_changes('platform', $$select 'blocks' from changed$$);
-- Numbering an event changes nothing that a read shows. What a vote uses is inserted with the vote, whose own trigger records it.
drop trigger changes_recorded_on_update on outbox;
drop trigger changes_recorded_on_insert on vote_stakes;
