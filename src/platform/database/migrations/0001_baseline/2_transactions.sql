-- Transactions of the ledger, its blocks, the anchors that the operator sends, and outputs that nobody asked for.

create table platform (
  id boolean primary key default true check (id),
  network text not null,
  operator_address text not null,
  operator_key_hash text not null,
  confirmation_depth integer not null default 15
);

create table blocks (
  height bigint primary key,
  hash text not null unique,
  slot bigint not null,
  made_at timestamptz not null
);

create table ledger_hold (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null,
  tip_height bigint not null,
  fork_height bigint,
  accepted_from bigint
);

create table chain_transactions (
  id uuid primary key,
  kind text not null,
  vault_id uuid references vaults on delete cascade,
  owner_workflow text not null,
  signer text not null check (signer in ('wallet', 'platform')),
  wallet text,
  hash text not null unique,
  unsigned_cbor text not null,
  signed_cbor text,
  witnesses jsonb not null default '[]',
  inputs jsonb not null,
  outputs jsonb not null,
  required_signers text[] not null,
  fee numeric(20, 0) not null,
  ttl_slot bigint not null,
  expires_at timestamptz not null,
  state text not null check (state in ('awaiting_signatures', 'pending', 'submitted', 'confirmed', 'final', 'expired', 'failed')),
  error text,
  block_height bigint,
  block_hash text,
  submitted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  platform_signers text[] not null default '{}',
  sent_at timestamptz,
  expiry_failed_at timestamptz,
  refusal text,
  cosigners jsonb,
  conflict jsonb,
  shown boolean not null default false
);
create index chain_transactions_open on chain_transactions (state) where state in ('awaiting_signatures', 'pending', 'submitted', 'confirmed');
create index chain_transactions_by_vault on chain_transactions (vault_id, kind);
create index chain_transactions_by_block on chain_transactions (block_height) where state in ('confirmed', 'final');
create index chain_transactions_by_signer on chain_transactions using gin (required_signers) where signer = 'wallet';
create index chain_transactions_by_time on chain_transactions (created_at, id);
create index chain_transactions_by_wallet on chain_transactions (wallet, created_at, id) where wallet is not null;
create unique index one_open_mint on chain_transactions (vault_id) where kind = 'mint' and state in ('pending', 'submitted');
create index open_transactions_by_vault on chain_transactions (vault_id, kind) where state in ('awaiting_signatures', 'pending', 'submitted', 'confirmed');
create index chain_transactions_unconfirmed_claims on chain_transactions (vault_id, state, created_at) where kind = 'claim' and state in ('awaiting_signatures', 'pending', 'submitted');
create index chain_transactions_by_update on chain_transactions (updated_at, id);
create index chain_transactions_by_state on chain_transactions (state, created_at, id);
create index chain_transactions_by_kind on chain_transactions (kind, created_at, id);
create index shown_transactions_by_time on chain_transactions (created_at, id) where shown;
create index shown_transactions_by_update on chain_transactions (updated_at, id) where shown;
create index shown_transactions_by_state on chain_transactions (state, created_at, id) where shown;
create index shown_transactions_by_kind on chain_transactions (kind, created_at, id) where shown;

create table chain_transaction_history (
  transaction_id uuid not null references chain_transactions on delete cascade,
  position integer not null,
  state text not null,
  at timestamptz not null,
  block_height bigint,
  reason text,
  block_hash text,
  primary key (transaction_id, position)
);

create table transaction_deposits (
  transaction_id uuid not null references chain_transactions on delete cascade,
  deposit_id uuid not null,
  deposit_kind text not null check (deposit_kind in ('asset', 'investment')),
  payment jsonb not null,
  primary key (transaction_id, deposit_id)
);
create index transaction_deposits_by_deposit on transaction_deposits (deposit_id);

create table quarantine (
  id bigint generated always as identity primary key,
  transaction_id uuid not null references chain_transactions on delete cascade,
  from_state text not null,
  to_state text not null,
  is_rollback boolean not null,
  block_height bigint,
  error text not null,
  attempts integer not null,
  at timestamptz not null,
  attempted_at timestamptz not null
);
create index quarantine_by_transaction on quarantine (transaction_id, id);

create table anchor_chains (
  id uuid primary key,
  holder uuid,
  held_until timestamptz not null,
  tip jsonb not null,
  spent_on date,
  spent bigint not null default 0
);

create table anchor_batches (
  id uuid primary key,
  anchor_chain_id uuid not null references anchor_chains,
  number bigint generated always as identity,
  transaction_id uuid not null unique references chain_transactions,
  root text not null,
  facts integer not null check (facts > 0),
  confirmed boolean not null default false
);
create index anchor_batches_unconfirmed on anchor_batches (anchor_chain_id, number) where not confirmed;
create index anchor_batches_by_root on anchor_batches (root);

create table anchor_attempts (
  transaction_id uuid primary key references chain_transactions,
  batch_id uuid not null references anchor_batches
);
create index anchor_attempts_by_batch on anchor_attempts (batch_id);

create table anchor_facts (
  id uuid primary key,
  batch_id uuid not null references anchor_batches,
  position integer not null,
  vault_id uuid,
  fact text not null,
  leaf text not null,
  unique (batch_id, position)
);

create table utxo_leases (
  tx_hash text not null,
  output_index integer not null,
  transaction_id uuid references chain_transactions on delete cascade,
  anchor_chain_id uuid references anchor_chains,
  check (num_nonnulls(transaction_id, anchor_chain_id) = 1),
  primary key (tx_hash, output_index)
);
create index utxo_leases_by_transaction on utxo_leases (transaction_id);
create index utxo_leases_by_anchor_chain on utxo_leases (anchor_chain_id) where anchor_chain_id is not null;

create table unsolicited_outputs (
  tx_hash text not null,
  output_index integer not null,
  vault_id uuid not null references vaults on delete cascade,
  place text not null check (place in ('custody', 'settlement', 'liquidity', 'claims', 'deposit', 'stake')),
  depositor text,
  address text not null,
  lovelace numeric(20, 0) not null check (lovelace >= 0),
  assets jsonb not null,
  seen_at timestamptz not null,
  gone_at timestamptz,
  return_transaction_id uuid references chain_transactions,
  returned_at timestamptz,
  gone_hash text,
  check ((place = 'deposit') = (depositor is not null)),
  check (returned_at is null or return_transaction_id is not null),
  primary key (tx_hash, output_index)
);
create index unsolicited_outputs_by_vault on unsolicited_outputs (vault_id, seen_at, tx_hash, output_index);
create index unsolicited_outputs_by_return on unsolicited_outputs (return_transaction_id) where return_transaction_id is not null;
create index unsolicited_outputs_by_address on unsolicited_outputs (vault_id, address);

create table operator_funds (
  day date primary key,
  held numeric not null,
  spent numeric not null,
  seen_at timestamptz not null,
  seen_lower numeric
);
