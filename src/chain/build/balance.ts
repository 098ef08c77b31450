import { ServiceError } from '../../domain/errors.ts';
import { lovelace } from '../../domain/units/money.ts';
import { feeOf, minAda, signedSize, valueSize } from './costs.ts';
import { type Draft, type DraftOutput, encode, transactionHash } from './draft.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Holding, Unit } from '../transaction.ts';
import { scriptHash } from '../scripts/native-scripts.ts';

/** The least an input adds to a transaction. */
export const INPUT_BYTES = 36;

/** What a set of outputs or inputs holds in total. */
export type Total = Pick<Holding, 'lovelace' | 'assets'>;

/**
 * Builds a transaction whose outputs depend on its fee: drawn up without a fee, measured, drawn up again.
 * Raises INSUFFICIENT_FUNDS when an output is left below its min-ADA.
 */
export function buildWithFee(parameters: ProtocolParameters, draw: (fee: bigint) => Draft): BuiltTransaction {
  // Outputs only shrink by the fee, so the second drawing is never larger than the measured one.
  const fee = feeOf(parameters, draw(0n));
  const draft = draw(fee);
  assertPayable(parameters, draft.outputs);
  assertBalanced(draft, fee);
  const cbor = encode(draft, fee);
  return {
    hash: transactionHash(cbor),
    cbor,
    inputs: draft.inputs.map(({ utxo }) => utxo),
    outputs: draft.outputs.map(({ address, lovelace: coin, assets }, index) => ({
      index,
      address,
      lovelace: coin,
      assets,
    })),
    ttlSlot: draft.ttlSlot,
    fee,
    requiredSigners: draft.signers,
  };
}

/** The sum of several holdings. */
export function sumHoldings(holdings: Iterable<Total>): Total {
  let coin = 0n;
  const assets = new Map<Unit, bigint>();
  for (const holding of holdings) {
    coin += holding.lovelace;
    for (const [unit, quantity] of holding.assets) assets.set(unit, (assets.get(unit) ?? 0n) + quantity);
  }
  return { lovelace: lovelace(coin), assets };
}

/** The fewest outputs that can carry these assets, each with its min-ADA; one of plain ADA when there are none. */
export function smallestOutputs(
  parameters: ProtocolParameters,
  address: string,
  assets: ReadonlyMap<Unit, bigint>,
): DraftOutput[] {
  const empty = partsOf(parameters, assets).map((part) => ({ address, lovelace: lovelace(0n), assets: part }));
  return empty.map((output) => ({ ...output, lovelace: minAda(parameters, output) }));
}

/** Puts a holding into as few outputs as its value's size allows: the first takes the lovelace the others do not need. */
export function splitIntoOutputs(parameters: ProtocolParameters, address: string, held: Total): DraftOutput[] {
  const [first, ...others] = smallestOutputs(parameters, address, held.assets);
  if (!first) return [];
  const rest = held.lovelace - sumHoldings(others).lovelace;
  return [{ ...first, lovelace: lovelace(requireNonNegative(rest)) }, ...others];
}

/** The part with index `index` of an amount shared equally among `count`; the first parts take the remainder. */
export function equalShare(amount: bigint, count: number, index: number): bigint {
  const among = BigInt(count);
  return amount / among + (BigInt(index) < amount % among ? 1n : 0n);
}

/** Builds with as many of `count` items as fit into one transaction. */
export function buildFitting<Built extends { readonly transaction: BuiltTransaction }>(
  parameters: ProtocolParameters,
  count: number,
  build: (taken: number) => Built,
): Built & { readonly taken: number } {
  const fits = (built: Built) => signedSize(built.transaction) <= parameters.maxTxSize;
  let most = Math.min(count, Math.floor(parameters.maxTxSize / INPUT_BYTES));
  let built = build(most);
  if (fits(built)) return { ...built, taken: most };
  let least = 1;
  while (least < most - 1) {
    const middle = Math.floor((least + most) / 2);
    if (fits(build(middle))) least = middle;
    else most = middle;
  }
  built = build(least);
  if (!fits(built)) throw new Error('one item alone does not fit into a transaction');
  return { ...built, taken: least };
}

/** An amount that must not be negative; raises INSUFFICIENT_FUNDS by how much it is. */
export function requireNonNegative(amount: bigint): bigint {
  if (amount < 0n) throw new ServiceError('INSUFFICIENT_FUNDS', { missingLovelace: (-amount).toString() });
  return amount;
}

function partsOf(parameters: ProtocolParameters, assets: ReadonlyMap<Unit, bigint>): Map<Unit, bigint>[] {
  const parts = [new Map<Unit, bigint>()];
  for (const [unit, quantity] of [...assets].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const current = parts[parts.length - 1] ?? new Map<Unit, bigint>();
    const grown = new Map(current).set(unit, quantity);
    // An amount of 2^62 takes the most bytes an output's own lovelace can.
    if (valueSize({ lovelace: lovelace(2n ** 62n), assets: grown }) <= parameters.maxValueSize)
      parts[parts.length - 1] = grown;
    else parts.push(new Map([[unit, quantity]]));
  }
  return parts;
}

function assertPayable(parameters: ProtocolParameters, outputs: readonly DraftOutput[]): void {
  for (const output of outputs) requireNonNegative(output.lovelace - minAda(parameters, output));
}

/** Guards every builder: nothing is burnt, made or lost. */
function assertBalanced(draft: Draft, fee: bigint): void {
  const left = sumHoldings(draft.inputs.map(({ utxo }) => utxo));
  const minted = new Map(
    [...(draft.minting?.quantities ?? [])].map(([name, quantity]) => [mintedUnit(draft, name), quantity]),
  );
  const consumed = sumHoldings([left, { lovelace: lovelace(0n), assets: minted }]);
  const produced = sumHoldings([...draft.outputs, { lovelace: lovelace(fee), assets: new Map() }]);
  const units = new Set([...consumed.assets.keys(), ...produced.assets.keys()]);
  const uneven = [...units].filter((unit) => (consumed.assets.get(unit) ?? 0n) !== (produced.assets.get(unit) ?? 0n));
  if (consumed.lovelace !== produced.lovelace || uneven.length > 0) {
    throw new Error(
      `unbalanced transaction: ${consumed.lovelace} in, ${produced.lovelace} out, uneven ${uneven.join()}`,
    );
  }
}

function mintedUnit({ minting }: Draft, name: string): Unit {
  return `${minting ? scriptHash(minting.script) : ''}${name}`;
}
