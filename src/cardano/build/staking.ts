import { buildWithFee, selectInputs, buildBalanced, type Payer } from './funding.ts';
import { type Custody, custodyInputs, custodySigners } from './custody.ts';
import { deliveryDeposits } from './deposits.ts';
import type { DraftInput, DraftOutput } from './draft.ts';
import { splitIntoOutputs, separateOutputs, smallestOutputs, withRest } from './outputs.ts';
import { requireNonNegative, sumHoldings, subtractAssets } from './values.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit, KeyHash, Utxo } from '../transaction.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';

interface Stake {
  readonly owner: Payer;
  /** Of the owner's own stake script. */
  readonly stakeAddress: string;
  readonly ftUnit: Unit;
  /** Base units. */
  readonly amount: bigint;
  /** See `stakeDeposit`. */
  readonly returnDeposit: Lovelace;
  readonly ttlSlot: number;
}

/** Lovelace that is staked with the tokens: it pays for their return, and the rest returns with them. */
export function stakeDeposit(parameters: ProtocolParameters): Lovelace {
  return deliveryDeposits(parameters).investment;
}

/** The owner sends fractional tokens to their stake script (output 0). */
export function buildStake({ parameters }: ChainContext, input: Stake): BuiltTransaction {
  const assets = new Map([[input.ftUnit, input.amount]]);
  return buildBalanced(parameters, input.owner, {
    outputs: [{ address: input.stakeAddress, lovelace: input.returnDeposit, assets }],
    ttlSlot: input.ttlSlot,
  });
}

interface Unstake {
  readonly stake: Required<DraftInput>;
  /** Address that everything returns to. */
  readonly owner: string;
  readonly ownerKeyHash: KeyHash;
  readonly vaultKeyHash: KeyHash;
  readonly ttlSlot: number;
}

/** Returns a stake to its owner (output 0); the return deposit pays the fee. Owner and vault sign. */
export function buildUnstake({ parameters }: ChainContext, input: Unstake): BuiltTransaction {
  const { stake, owner, ttlSlot } = input;
  const signers = [input.vaultKeyHash, input.ownerKeyHash];
  return buildWithFee(parameters, (fee) => {
    const returned = { ...stake.utxo, lovelace: lovelace(requireNonNegative(stake.utxo.lovelace - fee)) };
    return {
      inputs: [stake],
      outputs: splitIntoOutputs(parameters, owner, returned),
      ttlSlot,
      signers,
      enforcedSigners: signers,
    };
  });
}

interface AssetMove {
  readonly custody: Custody;
  readonly assets: ReadonlyMap<Unit, bigint>;
  /** Pays the fee, and what the UTxOs in custody lack to the min-ADA of the outputs. */
  readonly payer: Payer;
  readonly ttlSlot: number;
}

export interface AssetStaking extends AssetMove {
  /** The UTxOs in custody that hold the assets. */
  readonly holding: readonly Utxo[];
  readonly stakingAddress: string;
}

interface AssetReturn extends AssetMove {
  /** The holder of the assets at the staking address, who signs too. */
  readonly holder: Payer;
}

/**
 * Moves assets from custody to a staking address (output 0), with the ADA that they bring back when they return; everything else in
 * the spent UTxOs returns to custody. Vault, cosigners and payer sign.
 */
export function buildAssetStaking({ parameters }: ChainContext, input: AssetStaking): BuiltTransaction {
  const { custody, holding, stakingAddress, assets } = input;
  const inputs = custodyInputs(custody, holding);
  const moved = smallestOutputs(parameters, stakingAddress, assets);
  const needed = sumHoldings(carriedOutputs(parameters, custody, assets, stakingAddress)).lovelace;
  const outputs = needed > sumHoldings(moved).lovelace ? withRest(moved, needed) : moved;
  return buildMove(parameters, input, { inputs, moved: outputs, from: custody.address });
}

/**
 * Moves assets from a staking address back to custody, one output each from output 0 on, with the ADA that they took along, which the holder
 * returns with them; everything else in the spent UTxOs returns to the holder. Holder, vault, cosigners and payer sign.
 */
export function buildAssetReturn(chain: ChainContext, input: AssetReturn): BuiltTransaction {
  const { custody, holder, assets } = input;
  const inputs = returnedUtxos(chain, input).map((utxo) => ({ utxo }));
  const moved = carriedOutputs(chain.parameters, custody, assets, holder.address);
  return buildMove(chain.parameters, input, { inputs, moved, from: holder.address, holder: holder.keyHash });
}

/**
 * The UTxOs with which a holder returns assets: those that hold the assets, and others until there is the ADA of all outputs in custody and
 * of what the holder keeps.
 */
export function returnedUtxos(
  { parameters }: ChainContext,
  { custody, holder, assets }: Pick<AssetReturn, 'custody' | 'holder' | 'assets'>,
): readonly Utxo[] {
  const needed = sumHoldings(carriedOutputs(parameters, custody, assets, holder.address));
  const keptBy = (utxos: readonly Utxo[]) => subtractAssets(sumHoldings(utxos).assets, assets);
  const lovelaceNeeded = (utxos: readonly Utxo[]) => {
    const kept = keptBy(utxos);
    return (
      needed.lovelace + (kept.size === 0 ? 0n : sumHoldings(smallestOutputs(parameters, holder.address, kept)).lovelace)
    );
  };
  const { maxTxSize } = parameters;
  return selectInputs({ available: holder.utxos, fixed: [], needed, lovelaceNeeded, maxTxSize });
}

/**
 * Assets as they lie in custody after their return, each with the ADA that it needs alone at the staking address, which is the longer one:
 * each takes as much along as it brings back, whatever goes and returns together, so that a payer adds to it once.
 */
function carriedOutputs(
  parameters: ProtocolParameters,
  { address }: Custody,
  assets: ReadonlyMap<Unit, bigint>,
  stakingAddress: string,
): DraftOutput[] {
  return separateOutputs(parameters, stakingAddress, assets).map((output) => ({ ...output, address }));
}

interface MovedOutputs {
  readonly inputs: readonly DraftInput[];
  readonly moved: readonly DraftOutput[];
  /** Address that everything that is not moved returns to. */
  readonly from: string;
  readonly holder?: KeyHash;
}

function buildMove(
  parameters: ProtocolParameters,
  { custody, payer, ttlSlot }: AssetMove,
  { inputs, moved, from, holder }: MovedOutputs,
): BuiltTransaction {
  const { cosigners, enforcedSigners } = custodySigners(custody);
  return buildBalanced(parameters, payer, {
    fixedInputs: inputs,
    outputs: withRemainder(parameters, { inputs, moved, from }),
    ttlSlot,
    cosigners: holder === undefined ? cosigners : [...cosigners, holder],
    enforcedSigners,
  });
}

/** Returns what is not moved. ADA below the min-ADA of an output of its own moves with the assets. */
function withRemainder(parameters: ProtocolParameters, { inputs, moved, from }: MovedOutputs): DraftOutput[] {
  const held = sumHoldings(inputs.map(({ utxo }) => utxo));
  const leaving = sumHoldings(moved);
  const assets = subtractAssets(held.assets, leaving.assets);
  const rest = held.lovelace - leaving.lovelace;
  const smallest = smallestOutputs(parameters, from, assets);
  if (rest >= sumHoldings(smallest).lovelace)
    return [...moved, ...splitIntoOutputs(parameters, from, { lovelace: lovelace(rest), assets })];
  if (assets.size > 0) return [...moved, ...smallest];
  const [first, ...others] = moved;
  if (!first || rest <= 0n) return [...moved];
  return [{ ...first, lovelace: lovelace(first.lovelace + rest) }, ...others];
}
