import { z } from 'zod';
import { instant } from '../../platform/units/time.ts';
import { lovelace } from '../../platform/units/money.ts';
import type { ProtocolParameters } from './parameters.ts';
import type { TransactionOutput, Unit, Utxo } from '../transaction.ts';

/** Digits: of other text BigInt makes zero, or throws. */
const quantity = z.string().regex(/^\d+$/).transform(BigInt);

const amount = z.array(z.object({ unit: z.string(), quantity })).transform((entries) => {
  const assets = new Map<Unit, bigint>();
  let coin = 0n;
  for (const entry of entries) {
    if (entry.unit === 'lovelace') coin = entry.quantity;
    else assets.set(entry.unit, entry.quantity);
  }
  return { lovelace: lovelace(coin), assets };
});

const epochSeconds = z.int().transform((seconds) => instant(seconds * 1000));

export const genesis = z
  .object({ slot_length: z.number() })
  .transform((body) => ({ slotLengthMs: body.slot_length * 1000 }));

export const protocolParameters = z
  .object({
    min_fee_a: z.int(),
    min_fee_b: z.int(),
    coins_per_utxo_size: quantity,
    max_val_size: quantity,
    max_tx_size: z.int(),
  })
  .transform((body): ProtocolParameters => ({
    minFeeA: BigInt(body.min_fee_a),
    minFeeB: BigInt(body.min_fee_b),
    coinsPerUtxoByte: body.coins_per_utxo_size,
    maxValueSize: Number(body.max_val_size),
    maxTxSize: body.max_tx_size,
  }));

export const block = z
  .object({
    hash: z.string(),
    height: z.number().nullable(),
    slot: z.number().nullable(),
    time: epochSeconds,
    previous_block: z.string().nullish(),
    tx_count: z.number(),
  })
  .transform((body) => ({
    hash: body.hash,
    // Only the genesis block and epoch boundary blocks lack these; both come before any of our transactions.
    height: body.height ?? 0,
    slot: body.slot ?? 0,
    time: body.time,
    previousHash: body.previous_block ?? null,
    txCount: body.tx_count,
  }));

export const utxo = z
  .object({ address: z.string(), tx_hash: z.string(), output_index: z.number(), amount })
  .transform((body): Utxo => ({
    txHash: body.tx_hash,
    index: body.output_index,
    address: body.address,
    ...body.amount,
  }));

/** A UTxO, and whether it carries a datum or a reference script, for whose bytes the ledger asks a fee. */
export const utxoWithExtras = z.intersection(
  utxo,
  z
    .object({
      data_hash: z.string().nullish(),
      inline_datum: z.string().nullish(),
      reference_script_hash: z.string().nullish(),
    })
    .transform((body) => ({
      hasExtras: Object.values(body).some((value) => typeof value === 'string'),
      hasReferenceScript: typeof body.reference_script_hash === 'string',
    })),
);

export const transaction = z
  .object({ hash: z.string(), block: z.string(), block_height: z.number(), fees: quantity })
  .transform((body) => ({
    hash: body.hash,
    blockHash: body.block,
    blockHeight: body.block_height,
    fee: lovelace(body.fees),
  }));

/** Collateral and reference inputs are not spent by a valid transaction, so they are left out. */
const spentInputs = z
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

interface CreatedOutput extends TransactionOutput {
  readonly hasReferenceScript: boolean;
  /** The transaction that spent it; null while none has, and where the ledger does not say. */
  readonly spentBy: string | null;
}

const createdOutput = z
  .object({
    address: z.string(),
    output_index: z.number(),
    amount,
    reference_script_hash: z.string().nullish(),
    consumed_by_tx: z.string().nullish(),
  })
  .transform((body): CreatedOutput => ({
    index: body.output_index,
    address: body.address,
    ...body.amount,
    hasReferenceScript: typeof body.reference_script_hash === 'string',
    spentBy: body.consumed_by_tx ?? null,
  }));

export const transactionUtxos = z.object({ hash: z.string(), inputs: spentInputs, outputs: z.array(createdOutput) });

export const transactionCbor = z.object({ cbor: z.string() }).transform((body) => body.cbor);

export const labelledMetadata = z
  .object({ tx_hash: z.string(), json_metadata: z.unknown() })
  .transform((body) => ({ txHash: body.tx_hash, metadata: body.json_metadata }));

export const assetSupply = z.object({ quantity }).transform((body) => body.quantity);

export const addressTransaction = z
  .object({ tx_hash: z.string(), block_height: z.number() })
  .transform((body) => ({ txHash: body.tx_hash, blockHeight: body.block_height }));

export const accountAddress = z.object({ address: z.string() }).transform((body) => body.address);

export const blockAddress = z.object({ address: z.string() }).transform((body) => body.address);

/** The hash as a JSON string (Blockfrost) or as plain text (Dolos). */
export const submittedHash = z
  .string()
  .transform((body) => body.trim().replaceAll('"', ''))
  .pipe(z.string().regex(/^[0-9a-f]{64}$/));

/** Blockfrost's error body; other backends send nothing or plain text. */
export const errorBody = z.object({ message: z.string() });

export type LabelledMetadata = z.infer<typeof labelledMetadata>;
export type Genesis = z.infer<typeof genesis>;
export type Block = z.infer<typeof block>;
export type LedgerTransaction = z.infer<typeof transaction>;
export type TransactionUtxos = z.infer<typeof transactionUtxos>;
export type AddressTransaction = z.infer<typeof addressTransaction>;
