import { randomUUID } from 'node:crypto';
import { decodeTransaction } from '../../src/signing-policy/decoder.ts';
import { storedUtxo } from '../../src/platform/database/stored-json.ts';
import type { ApiService } from '../vaults/api-service.ts';

const columns = {
  chain_transactions: `id, kind, vault_id, owner_workflow, signer, wallet, hash, unsigned_cbor, inputs, outputs, required_signers,
    platform_signers, cosigners, fee, ttl_slot, expires_at, state, error, created_at, updated_at`,
  stakes: `id, vault_id, wallet, amount, status, release_reason, staked_at, owner_alone_from, release_slot, script_address,
    vault_key_hash, stake_transaction_id, unstake_transaction_id, updated_at`,
  investments: `id, vault_id, wallet, lovelace, delivery_deposit, min_vault_value, max_fdv, status, release_reason, transaction_id,
    created_at, updated_at`,
  assets: `id, vault_id, type, custom_type, policy_id, asset_name, quantity, decimals, valuation_method, metadata, added_by, status,
    release_reason, price, priced_at, price_source, market_limit, delivery_deposit, add_transaction_id, deposit_index,
    remove_transaction_id, added_at, updated_at`,
  claims: 'id, vault_id, wallet, amount, payout, status, claim_transaction_id, created_at, updated_at',
};

type Table = keyof typeof columns;

/** Runs a statement with the rights of the api, as somebody who runs code in it could. */
export async function asApi({ sql }: ApiService, statement: string, values: readonly unknown[]): Promise<void> {
  const client = await sql.connect();
  try {
    await client.query('begin');
    await client.query('set local role vaults_api');
    await client.query(statement, [...values]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Inserts a row like the one of which a column has a value, with changes, as the api; returns its id. */
export async function insertLike(
  service: ApiService,
  table: Table,
  like: readonly [column: string, value: string],
  changes: object,
): Promise<string> {
  const id = randomUUID();
  const copied = columns[table]
    .split(',')
    .map((column) => `made.${column.trim()}`)
    .join(', ');
  await asApi(
    service,
    `insert into ${table} (${columns[table]}) select ${copied} from ${table} one, jsonb_populate_record(one, $2::jsonb) made
      where one.${like[0]} = $1`,
    [like[1], JSON.stringify({ ...changes, id })],
  );
  return id;
}

/** Records a transaction on the ledger, with its own bytes, as one of the kind and vault of another; returns its row's id. */
export async function recordAs(service: ApiService, hash: string, like: string, changes: object = {}): Promise<string> {
  const { cbor } = (await service.ledger.query<{ cbor: string }>(`/txs/${hash}/cbor`)) ?? { cbor: '' };
  const { inputs, outputs } = decodeTransaction(cbor);
  const nothing = { address: '', lovelace: '0', assets: {} };
  return insertLike(service, 'chain_transactions', ['hash', like], {
    hash,
    unsigned_cbor: cbor,
    inputs: inputs.map((input) => ({ ...input, ...nothing })),
    outputs: outputs.map(({ address, lovelace, assets }, index) =>
      storedUtxo({ txHash: hash, index, address, lovelace, assets }),
    ),
    platform_signers: [],
    // As the api has to record it, whatever became of the other one.
    state: 'awaiting_signatures',
    ...changes,
  });
}
