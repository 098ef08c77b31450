-- What no statement may do, whatever process sends it. Functions name their tables with the schema: a table of the same name could hide them.

-- A key stays with its vault. A process that assigns keys could otherwise give one to a vault of its own, whose transactions move what lies
-- at the addresses of the other vault.
create function keep_vault_key() returns trigger language plpgsql as $$
  begin
    raise exception 'key % stays with vault %', old.key_index, old.vault_id;
  end
$$;
create trigger vault_keys_stay before update on vault_keys for each row when (old.vault_id is not null)
  execute function keep_vault_key();

-- Assets count by the rules that their contributors have seen.
create function keep_what_assets_count_with() returns trigger language plpgsql as $$
  begin
    if exists (select from windows where vault_id = old.id and kind = 'asset' and status <> 'PENDING') then
      raise exception 'the asset window of vault % has opened: its assets count by other rules', old.id;
    end if;
    return new;
  end
$$;
create trigger counting_rules_stay before update of custom_prices, valuation_type on vaults for each row
  when (old.custom_prices is distinct from new.custom_prices or old.valuation_type is distinct from new.valuation_type)
  execute function keep_what_assets_count_with();

-- Everybody may see a transaction whose vault is not private, or that has none. A list for a stranger then reads past nothing.
create function set_shown() returns trigger language plpgsql as $$
  begin
    new.shown = new.vault_id is null or coalesce((select type from public.vaults where id = new.vault_id) <> 'PRIVATE', false);
    return new;
  end
$$;
create trigger shown_as_its_vault before insert or update of vault_id on chain_transactions
  for each row execute function set_shown();

create function pass_on_shown() returns trigger language plpgsql as $$
  begin
    update public.chain_transactions set shown = (new.type <> 'PRIVATE') where vault_id = new.id;
    return null;
  end
$$;
create trigger transactions_shown_as_vault after update of type on vaults for each row when (new.type is distinct from old.type)
  execute function pass_on_shown();

-- No amount is NaN or infinite. For Postgres NaN is a number above all others, so `check (amount > 0)` lets it in, and one makes each sum NaN.
create function require_numbers() returns void language plpgsql as $$
  declare number record;
  begin
    for number in select table_name, column_name from information_schema.columns
      where table_schema = current_schema() and data_type = 'numeric' and is_generated = 'NEVER'
      order by table_name, column_name
    loop
      execute format('alter table %1$I add constraint %2$I check (%3$I > ''-Infinity'' and %3$I < ''Infinity'')',
        number.table_name, number.table_name || '_' || number.column_name || '_is_number', number.column_name);
    end loop;
  end
$$;
select require_numbers();
