import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import { minAda } from './costs.ts';
import { type Custody, custodyOutputs, custodySigners } from './custody.ts';
import type { DraftInput, DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { equalShare, subtractAssets, sumHoldings } from './values.ts';
import type { ChainContext, ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit } from '../transaction.ts';

/** Each holder's claim spends an output of the pot, so that many outputs let many holders claim at once. */
const LOVELACE_PER_OUTPUT = 25_000_000n;
const MAX_OUTPUTS = 40;

export interface PotGathering {
  /** What belongs to the vault. */
  readonly inputs: readonly DraftInput[];
  readonly claimsAddress: string;
  readonly custody: Custody;
  /** Outputs that the claims address has already. */
  readonly inPot: number;
  readonly ftUnit: Unit;
  /** All tokens of the vault, in base units. */
  readonly ftSupply: bigint;
  /** Adds the min-ADA of the outputs. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Gathers what a vault that ends shares at its claims address (design D31): the ADA in equal outputs, less the fee, all of its tokens in
 * the first. Assets return to custody with their min-ADA. The operator's min-ADA keeps an output payable whatever is claimed of it; without
 * inputs that is all that the pot gets. Throws INSUFFICIENT_FUNDS.
 */
export function buildPotGathering({ parameters }: ChainContext, input: PotGathering): BuiltTransaction {
  const { inputs, custody, operator, ttlSlot } = input;
  const build = (fee: Lovelace) =>
    buildBalanced(parameters, operator, {
      fixedInputs: inputs,
      outputs: gatheringOutputs(parameters, input, fee),
      ttlSlot,
      ...custodySigners(custody),
    });
  // The fee does not depend on how the same ADA is divided between the pot and the operator.
  return build(build(lovelace(0n)).fee);
}

function gatheringOutputs(
  parameters: ProtocolParameters,
  { inputs, claimsAddress: address, custody, inPot, ftUnit, ftSupply }: PotGathering,
  fee: Lovelace,
): DraftOutput[] {
  const held = sumHoldings(inputs.map(({ utxo }) => utxo));
  const tokens = new Map([...held.assets].filter(([unit]) => unit === ftUnit));
  const kept = custodyOutputs(parameters, custody, subtractAssets(held.assets, tokens));
  const shared = gatheredLovelace({ held: held.lovelace, kept: sumHoldings(kept).lovelace, fee });
  const count = potOutputCount(shared, inPot);
  const pot = Array.from({ length: count }, (_, index) => {
    const assets = index === 0 ? tokens : new Map<Unit, bigint>();
    const output = { address, lovelace: lovelace(equalShare(shared, count, index)), assets };
    // The last claim leaves an output with all tokens.
    const largest = index === 0 ? { ...output, assets: new Map([[ftUnit, ftSupply]]) } : output;
    return { ...output, lovelace: lovelace(output.lovelace + minAda(parameters, largest)) };
  });
  return [...pot, ...kept];
}

/** What a gathering adds to a pot: what it spends of the vault's, less what returns to custody and the fee as far as that suffices. */
export function gatheredLovelace({ held, kept, fee }: Readonly<Record<'held' | 'kept' | 'fee', bigint>>): bigint {
  const shared = held - kept - fee;
  return shared < 0n ? 0n : shared;
}

/** One output at least. All that gatherings make fit into the one transaction that pays or merges them. */
function potOutputCount(shared: bigint, inPot: number): number {
  const wanted = Number(shared / LOVELACE_PER_OUTPUT);
  return Math.max(1, Math.min(wanted, MAX_OUTPUTS - inPot));
}
