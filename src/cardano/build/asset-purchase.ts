import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { splitIntoOutputs } from './outputs.ts';
import { sumHoldings, subtractAssets } from './values.ts';
import { type Custody, custodyOutputs, custodyPayer, custodySigners } from './custody.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { selectUtxos } from './coin-selection.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';

export interface AssetPurchase {
  readonly custody: Custody;
  /** UTxOs in custody; those with ADA that no asset needs pay. */
  readonly utxos: readonly Utxo[];
  readonly assets: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly seller: Payer;
  readonly ttlSlot: number;
}

/**
 * The vault buys assets: custody gets them, one output each from output 0 on. The next output returns the seller's spent UTxOs to the
 * seller, without the assets and with `price` added. The vault pays the fee. Vault, cosigners and seller sign. Throws
 * ASSET_NOT_IN_WALLET for the seller and INSUFFICIENT_FUNDS for the vault.
 */
export function buildAssetPurchase({ parameters }: ChainContext, input: AssetPurchase): BuiltTransaction {
  const { custody, seller, assets, price } = input;
  const signers = custodySigners(custody);
  const sellerInputs = selectUtxos(seller.utxos, assets);
  const held = sumHoldings(sellerInputs);
  const returned = { lovelace: lovelace(held.lovelace + price), assets: subtractAssets(held.assets, assets) };
  return buildBalanced(parameters, custodyPayer(parameters, custody, input.utxos), {
    fixedInputs: sellerInputs.map((utxo) => (seller.script ? { utxo, script: seller.script } : { utxo })),
    outputs: [
      ...custodyOutputs(parameters, custody, assets),
      ...splitIntoOutputs(parameters, seller.address, returned),
    ],
    ttlSlot: input.ttlSlot,
    cosigners: [...signers.cosigners, seller.keyHash],
    enforcedSigners: signers.enforcedSigners,
  });
}
