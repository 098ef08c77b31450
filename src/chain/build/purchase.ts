import { type Lovelace, lovelace } from '../../domain/units/money.ts';
import { splitIntoOutputs, sumHoldings } from './balance.ts';
import { type Custody, custodyOutputs, subtractAssets, custodyPayer } from './custody.ts';
import { buildFunded, type Payer, selectUtxos } from './funding.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, Utxo } from '../transaction.ts';

export interface AssetPurchase {
  readonly custody: Custody;
  /** Plain ADA in custody, to pay with. */
  readonly utxos: readonly Utxo[];
  readonly bought: ReadonlyMap<Unit, bigint>;
  readonly price: Lovelace;
  readonly seller: Payer;
  readonly ttlSlot: number;
}

/**
 * ADA for assets in one transaction: custody gets the assets, one output each from output 0 on; the seller holds exactly `price`
 * more (next output) and whatever else lay beside them. The vault pays the fee. Vault, cosigners and seller sign. Raises
 * ASSET_NOT_IN_WALLET for the seller and INSUFFICIENT_FUNDS for the vault.
 */
export function buildPurchase({ parameters }: ChainContext, input: AssetPurchase): BuiltTransaction {
  const { custody, seller, bought, price } = input;
  const given = selectUtxos(seller.utxos, bought);
  const held = sumHoldings(given);
  const kept = { lovelace: lovelace(held.lovelace + price), assets: subtractAssets(held.assets, bought) };
  return buildFunded(parameters, custodyPayer(custody, input.utxos), {
    brought: given.map((utxo) => (seller.script ? { utxo, script: seller.script } : { utxo })),
    outputs: [...custodyOutputs(parameters, custody, bought), ...splitIntoOutputs(parameters, seller.address, kept)],
    ttlSlot: input.ttlSlot,
    cosigners: [...custody.cosigners, seller.keyHash],
    namedSigners: [custody.vaultKeyHash, ...custody.cosigners],
  });
}
