import { createHash } from 'node:crypto';
import type { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import {
  AssetName,
  BigNum,
  ChangeConfig,
  CoinSelectionStrategyCIP2,
  Credential,
  EnterpriseAddress,
  FixedTransaction,
  Int,
  LinearFee,
  MintBuilder,
  MintWitness,
  DataCost,
  NativeScript,
  NativeScriptSource,
  PrivateKey,
  ScriptPubkey,
  TransactionBuilder,
  TransactionBuilderConfigBuilder,
  TransactionOutput,
  TransactionUnspentOutput,
  TransactionUnspentOutputs,
  Value,
  min_ada_for_output,
  MultiAsset,
  Assets,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { Refusal } from './http-response.ts';
import type { Ledger } from './ledger.ts';
import { network, parameters } from './network.ts';

/** What POST /dev/faucet gives: lovelace, and freshly minted assets of the faucet's own policy. */
export interface FaucetGift {
  address: Address;
  lovelace: bigint | null;
  assets: { name: string; quantity: bigint }[];
}

const DEFAULT_LOVELACE = 1_000_000_000n;
const DEFAULT_WITH_ASSETS = 2_000_000n;

// A fixed seed, because a development ledger has no secret: the faucet is the same at every start on every machine.
const key = PrivateKey.from_normal_bytes(createHash('sha256').update('vault tokenization service: faucet').digest());
const keyHash = key.to_public().hash();
const address = EnterpriseAddress.new(network.id, Credential.from_keyhash(keyHash)).to_address();
const script = NativeScript.new_script_pubkey(ScriptPubkey.new(keyHash));

/** The faucet's address, funded in the genesis. */
export const faucetAddress = address.to_bech32();
/** The policy of every asset the faucet mints. */
export const faucetPolicy = script.hash().to_hex();

/** Sends the gift as a signed transaction; refuses (400) what does not fit into one. */
export function sendGift(ledger: Ledger, gift: FaucetGift): string {
  const submitted = ledger.submit(signedGift(ledger, gift));
  if (!submitted.accepted) throw new Refusal(400, `the faucet's transaction is refused: ${submitted.message}`);
  return submitted.hash;
}

function signedGift(ledger: Ledger, gift: FaucetGift): Uint8Array {
  try {
    const transaction = FixedTransaction.from_bytes(unsignedGift(ledger, gift));
    transaction.sign_and_add_vkey_signature(key);
    return transaction.to_bytes();
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown;
    // CSL throws plain strings: no funds left, output too big.
    throw new Refusal(400, `the faucet cannot give this: ${String(thrown)}`);
  }
}

function unsignedGift(ledger: Ledger, gift: FaucetGift): Uint8Array {
  const builder = TransactionBuilder.new(builderConfig());
  if (gift.assets.length > 0) builder.set_mint_builder(mintOf(gift));
  builder.add_output(outputOf(gift));
  builder.add_inputs_from_and_change(
    funds(ledger),
    CoinSelectionStrategyCIP2.LargestFirstMultiAsset,
    ChangeConfig.new(address),
  );
  return builder.build_tx().to_bytes();
}

function mintOf({ assets }: FaucetGift): MintBuilder {
  const mint = MintBuilder.new();
  const witness = MintWitness.new_native_script(NativeScriptSource.new(script));
  for (const { name, quantity } of assets) {
    mint.add_asset(witness, AssetName.new(Buffer.from(name, 'hex')), Int.new(BigNum.from_str(String(quantity))));
  }
  return mint;
}

function outputOf(gift: FaucetGift): TransactionOutput {
  const fallback = gift.assets.length > 0 ? DEFAULT_WITH_ASSETS : DEFAULT_LOVELACE;
  const wanted = gift.lovelace ?? fallback;
  const least = leastLovelace(gift, wanted);
  if (gift.lovelace !== null && gift.lovelace < least) {
    throw new Refusal(400, `lovelace: the ledger requires at least ${least} in this output`);
  }
  return TransactionOutput.new(gift.address, valueOf(gift, wanted > least ? wanted : least));
}

function leastLovelace(gift: FaucetGift, wanted: bigint): bigint {
  const output = TransactionOutput.new(gift.address, valueOf(gift, wanted));
  const cost = DataCost.new_coins_per_byte(BigNum.from_str(parameters.coins_per_utxo_size));
  return BigInt(min_ada_for_output(output, cost).to_str());
}

function valueOf({ assets }: FaucetGift, lovelace: bigint): Value {
  const value = Value.new(BigNum.from_str(String(lovelace)));
  if (assets.length === 0) return value;
  const names = Assets.new();
  for (const { name, quantity } of assets) {
    names.insert(AssetName.new(Buffer.from(name, 'hex')), BigNum.from_str(String(quantity)));
  }
  const all = MultiAsset.new();
  all.insert(script.hash(), names);
  value.set_multiasset(all);
  return value;
}

function funds(ledger: Ledger): TransactionUnspentOutputs {
  const utxos = TransactionUnspentOutputs.new();
  for (const entry of ledger.mempool.spendable(faucetAddress)) utxos.add(unspentOutput(entry));
  return utxos;
}

// The rules engine returns a one-entry map {input: output} where CSL reads the pair [input, output].
function unspentOutput(entry: Uint8Array): TransactionUnspentOutput {
  return TransactionUnspentOutput.from_bytes(Buffer.concat([Buffer.of(0x82), entry.subarray(1)]));
}

function builderConfig() {
  return TransactionBuilderConfigBuilder.new()
    .fee_algo(
      LinearFee.new(BigNum.from_str(String(parameters.min_fee_a)), BigNum.from_str(String(parameters.min_fee_b))),
    )
    .coins_per_utxo_byte(BigNum.from_str(parameters.coins_per_utxo_size))
    .pool_deposit(BigNum.from_str(parameters.pool_deposit))
    .key_deposit(BigNum.from_str(parameters.key_deposit))
    .max_value_size(Number(parameters.max_val_size))
    .max_tx_size(parameters.max_tx_size)
    .build();
}
