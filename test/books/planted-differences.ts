import { randomUUID } from 'node:crypto';

/** Another row like one of the vault, with some columns changed. */
const copyOf = (table: string, which: string, changes: object) =>
  `insert into ${table} select (jsonb_populate_record(one, '${JSON.stringify({ id: randomUUID(), ...changes })}')).*
    from ${table} one where vault_id = :vault and ${which} limit 1`;
export const changed = (table: string, which: string, what: string) =>
  `update ${table} set ${what} where vault_id = :vault and ${which}`;
export const hash = (byte: string) => byte.repeat(32);

type Planted = readonly (readonly [string, string, readonly string[]])[];

/** Changes of the books as SQL, `:vault` for the vault, and every code that reports each. */
export const planted: Planted = [
  ['nothing', 'select 1', []],
  [
    'an output with another amount',
    changed('chain_transactions', `kind = 'liquidity'`, `outputs = jsonb_set(outputs, '{0,lovelace}', '"1"')`),
    ['OUTPUT_DIFFERS'],
  ],
  [
    'an output that is on no ledger',
    `insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets, seen_at)
      select '${hash('ab')}', 0, id, 'custody', contract_address, 5000000, '{}', now() from vaults where id = :vault`,
    ['OUTPUT_MISSING'],
  ],
  [
    'a stake that its owner is said to have taken back',
    changed('stakes', 'true', `status = 'RELEASED', release_reason = 'reclaimed', reclaim_hash = '${hash('cd')}'`),
    ['OUTPUT_NOT_SPENT', 'STAKE_DIFFERS'],
  ],
  [
    'a stranger’s output that no scan has found for two hours',
    `update blocks set made_at = made_at + interval '2 hours' where height = (select max(height) from blocks)`,
    ['OUTPUT_UNLISTED'],
  ],
  [
    'an output that is missing in its transaction',
    changed('chain_transactions', `kind = 'liquidity'`, `outputs = outputs - 0`),
    ['FT_CIRCULATING_DIFFERS', 'OUTPUT_UNKNOWN'],
  ],
  [
    'a transaction that is on no ledger',
    copyOf('chain_transactions', `kind = 'stake'`, { hash: hash('ee'), kind: 'return_unsolicited' }),
    ['TRANSACTION_NOT_ON_LEDGER'],
  ],
  [
    'a stake whose transaction is said to have expired',
    changed('chain_transactions', `kind = 'stake'`, `state = 'expired'`),
    ['LEASE_LEFT', 'TRANSACTION_STATE_DIFFERS'],
  ],
  [
    'a transaction in another block',
    changed('chain_transactions', `kind = 'stake'`, 'block_height = block_height + 1'),
    ['TRANSACTION_BLOCK_DIFFERS'],
  ],
  [
    'a transaction with another hash',
    changed('chain_transactions', `kind = 'liquidity'`, `hash = '${hash('ef')}'`),
    ['FT_CIRCULATING_DIFFERS', 'TRANSACTION_NOT_ON_LEDGER', 'TRANSACTION_UNKNOWN'],
  ],
  [
    'a transaction that still waits after its time',
    copyOf('chain_transactions', `kind = 'stake'`, {
      hash: hash('aa'),
      kind: 'return_unsolicited',
      state: 'submitted',
      block_height: null,
      expires_at: '2020-01-01T00:00:00Z',
    }),
    ['TRANSACTION_OVERDUE'],
  ],
  [
    'a lost asset',
    'delete from assets where vault_id = :vault',
    ['ASSET_COUNT_DIFFERS', 'ASSET_QUANTITY_DIFFERS', 'ROW_MISSING'],
  ],
  [
    'an asset too many',
    copyOf('assets', 'true', { asset_name: 'aa' }),
    ['ASSET_COUNT_DIFFERS', 'ASSET_QUANTITY_DIFFERS'],
  ],
  ['another quantity of an asset', changed('assets', 'true', `type = 'CNT', quantity = 2`), ['ASSET_QUANTITY_DIFFERS']],
  [
    'an asset that is said to be released',
    changed('assets', 'true', `status = 'RELEASED', release_reason = 'sold'`),
    ['ASSET_COUNT_DIFFERS', 'ASSET_QUANTITY_DIFFERS'],
  ],
  [
    'an investment that is said to wait',
    changed('investments', 'true', `status = 'CONFIRMED'`),
    ['INVESTMENT_DIFFERS'],
  ],
  ['a lost investment', 'delete from investments where vault_id = :vault', ['ROW_MISSING']],
  ['a stake with another amount', changed('stakes', 'true', 'amount = amount + 1'), ['STAKE_DIFFERS']],
  ['a lost stake', 'delete from stakes where vault_id = :vault', ['ROW_MISSING']],
  [
    'another supply',
    'update vaults set ft_supply = ft_supply + 1 where id = :vault',
    ['FT_SHARES_DIFFER', 'FT_SUPPLY_DIFFERS'],
  ],
  [
    'another share of a holder',
    changed('entitlements', 'position = 0', 'ft = ft + 1'),
    ['ENTITLEMENT_DIFFERS', 'FT_SHARES_DIFFER'],
  ],
  [
    'another liquidity share',
    changed('settlements', 'true', `distribution = jsonb_set(distribution, '{lpFt}', '"1"')`),
    ['FT_CIRCULATING_DIFFERS', 'FT_SHARES_DIFFER'],
  ],
  ['another number of assets', 'update vaults set counted_assets = 7 where id = :vault', ['ASSET_COUNT_DIFFERS']],
  [
    'a settled vault that is said to be open',
    `update vaults set status = 'ACTIVE', locked_at = null where id = :vault`,
    ['VAULT_STATE_DIFFERS'],
  ],
  [
    'a pot that holds nothing',
    `insert into terminations (vault_id, decided_at, claim_seconds, pot_lovelace, circulating, claims_opened_at, claim_deadline)
      select id, now(), 1, 1000000, ft_supply, now(), now() from vaults where id = :vault`,
    ['FT_CIRCULATING_DIFFERS', 'POT_DIFFERS'],
  ],
  [
    'a claim that is said to be unpaid',
    `insert into claims (id, vault_id, wallet, amount, payout, status, claim_transaction_id, created_at, updated_at)
      select gen_random_uuid(), vault_id, 'w', 1, 1, 'PENDING', id, now(), now()
      from chain_transactions where vault_id = :vault and kind = 'liquidity'`,
    ['CLAIM_DIFFERS'],
  ],
  [
    'a lease of a transaction that has ended',
    `${copyOf('chain_transactions', `kind = 'stake'`, { hash: hash('bb'), kind: 'return_unsolicited', state: 'failed' })};
      insert into utxo_leases (tx_hash, output_index, transaction_id)
      select '${hash('bc')}', 0, id from chain_transactions where hash = '${hash('bb')}'`,
    ['LEASE_LEFT'],
  ],
];

/** As `planted`, in a vault of which a holder has claimed. */
export const plantedInPot: Planted = [
  ['nothing', 'select 1', []],
  [
    'a pot that counts what it does not hold',
    changed('terminations', 'true', 'pot_lovelace = pot_lovelace + 1000000000'),
    ['POT_DIFFERS'],
  ],
  [
    'returned tokens that are said to circulate',
    changed('terminations', 'true', 'circulating = circulating + 1'),
    ['FT_CIRCULATING_DIFFERS'],
  ],
  ['a paid claim that is said to wait', changed('claims', 'true', `status = 'PENDING'`), ['CLAIM_DIFFERS']],
  ['a lost claim', 'delete from claims where vault_id = :vault', ['ROW_MISSING']],
  [
    'a claim whose transaction is said to have expired',
    changed('chain_transactions', `kind = 'claim'`, `state = 'expired'`),
    [
      'CLAIM_DIFFERS',
      'FT_CIRCULATING_DIFFERS',
      'LEASE_LEFT',
      'OUTPUT_MISSING',
      'POT_DIFFERS',
      'TRANSACTION_STATE_DIFFERS',
    ],
  ],
  [
    'a claim that nobody has recorded',
    `delete from claims where vault_id = :vault;
      ${changed('chain_transactions', `kind = 'claim'`, `hash = '${hash('ad')}'`)}`,
    ['FT_CIRCULATING_DIFFERS', 'POT_DIFFERS', 'ROW_MISSING', 'TRANSACTION_NOT_ON_LEDGER', 'TRANSACTION_UNKNOWN'],
  ],
  [
    'an output of the pot with another amount',
    changed(
      'chain_transactions',
      `kind = 'claim'`,
      `outputs = (select jsonb_agg(jsonb_set(o, '{lovelace}', '"1"')) from jsonb_array_elements(outputs) o)`,
    ),
    ['OUTPUT_DIFFERS'],
  ],
];
