import { z } from 'zod';
import { instant } from '../domain/instant.ts';
import { lovelace } from '../domain/money.ts';
import type { ProtocolParameters } from './parameters.ts';
import type { TransactionOutput, Unit, Utxo } from './transaction.ts';

const amount = z.array(z.object({ unit: z.string(), quantity: z.string() })).transform((entries) => {
  const assets = new Map<Unit, bigint>();
  let coin = 0n;
  for (const { unit, quantity } of entries) {
    if (unit === 'lovelace') coin = BigInt(quantity);
    else assets.set(unit, BigInt(quantity));
  }
  return { lovelace: lovelace(coin), assets };
});

const epochSeconds = z.number().transform((seconds) => instant(seconds * 1000));

export const health = z.object({ is_healthy: z.boolean() }).transform((body) => body.is_healthy);

export const genesis = z
  .object({ network_magic: z.number(), slot_length: z.number(), system_start: epochSeconds })
  .transform((body) => ({
    networkMagic: body.network_magic,
    slotLengthMs: body.slot_length * 1000,
    systemStart: body.system_start,
  }));

export const protocolParameters = z
  .object({
    min_fee_a: z.number(),
    min_fee_b: z.number(),
    coins_per_utxo_size: z.string(),
    max_val_size: z.string(),
    max_tx_size: z.number(),
  })
  .transform((body): ProtocolParameters => ({
    minFeeA: BigInt(body.min_fee_a),
    minFeeB: BigInt(body.min_fee_b),
    coinsPerUtxoByte: BigInt(body.coins_per_utxo_size),
    maxValueSize: Number(body.max_val_size),
    maxTxSize: body.max_tx_size,
  }));

export const block = z
  .object({
    hash: z.string(),
    height: z.number().nullable(),
    slot: z.number().nullable(),
    time: epochSeconds,
    previous_block: z.string().nullable(),
    tx_count: z.number(),
    confirmations: z.number(),
  })
  .transform((body) => ({
    hash: body.hash,
    // Only the genesis block and epoch boundary blocks lack these; both come before any of our transactions.
    height: body.height ?? 0,
    slot: body.slot ?? 0,
    time: body.time,
    previousHash: body.previous_block,
    transactionCount: body.tx_count,
    confirmations: body.confirmations,
  }));

export const utxo = z
  .object({ address: z.string(), tx_hash: z.string(), output_index: z.number(), amount })
  .transform((body): Utxo => ({
    txHash: body.tx_hash,
    index: body.output_index,
    address: body.address,
    ...body.amount,
  }));

export const transaction = z
  .object({
    hash: z.string(),
    block: z.string(),
    block_height: z.number(),
    block_time: epochSeconds,
    slot: z.number(),
    fees: z.string(),
  })
  .transform((body) => ({
    hash: body.hash,
    blockHash: body.block,
    blockHeight: body.block_height,
    blockTime: body.block_time,
    slot: body.slot,
    fee: lovelace(BigInt(body.fees)),
  }));

/** Collateral and reference inputs are not spent by a valid transaction, so they are left out. */
const spent = z
  .array(z.intersection(utxo, z.object({ collateral: z.boolean().optional(), reference: z.boolean().optional() })))
  .transform((inputs) =>
    inputs
      .filter((input) => !input.collateral && !input.reference)
      .map(({ txHash, index, address, lovelace: coin, assets }): Utxo => ({
        txHash,
        index,
        address,
        lovelace: coin,
        assets,
      })),
  );

const created = z
  .object({ address: z.string(), output_index: z.number(), amount })
  .transform((body): TransactionOutput => ({ index: body.output_index, address: body.address, ...body.amount }));

export const transactionUtxos = z.object({ hash: z.string(), inputs: spent, outputs: z.array(created) });

export const transactionCbor = z.object({ cbor: z.string() }).transform((body) => body.cbor);

export const metadata = z
  .object({ label: z.string(), json_metadata: z.unknown() })
  .transform((body) => ({ label: body.label, content: body.json_metadata }));

export const asset = z
  .object({ asset: z.string(), policy_id: z.string(), asset_name: z.string().nullable(), quantity: z.string() })
  .transform((body) => ({
    unit: body.asset,
    policyId: body.policy_id,
    nameHex: body.asset_name ?? '',
    quantity: BigInt(body.quantity),
  }));

export const assetAddress = z
  .object({ address: z.string(), quantity: z.string() })
  .transform((body) => ({ address: body.address, quantity: BigInt(body.quantity) }));

export const labelMetadata = z
  .object({ tx_hash: z.string(), json_metadata: z.unknown() })
  .transform((body) => ({ txHash: body.tx_hash, content: body.json_metadata }));

export const addressTransaction = z
  .object({ tx_hash: z.string(), tx_index: z.number(), block_height: z.number(), block_time: epochSeconds })
  .transform((body) => ({
    txHash: body.tx_hash,
    blockIndex: body.tx_index,
    blockHeight: body.block_height,
    blockTime: body.block_time,
  }));

/** The hash as JSON text (Blockfrost) or bare (Dolos). */
export const submittedHash = z
  .string()
  .transform((body) => body.trim().replaceAll('"', ''))
  .pipe(z.string().regex(/^[0-9a-f]{64}$/));

/** Blockfrost's error body; other backends send nothing or plain text. */
export const errorBody = z.object({ message: z.string() });

export type Genesis = z.infer<typeof genesis>;
export type Block = z.infer<typeof block>;
export type LedgerTransaction = z.infer<typeof transaction>;
export type TransactionUtxos = z.infer<typeof transactionUtxos>;
export type LabelledMetadata = z.infer<typeof metadata>;
export type AssetSupply = z.infer<typeof asset>;
export type AssetAddress = z.infer<typeof assetAddress>;
export type LabelMetadata = z.infer<typeof labelMetadata>;
export type AddressTransaction = z.infer<typeof addressTransaction>;
