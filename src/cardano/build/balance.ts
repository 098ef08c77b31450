import { requireNonNegative, sumHoldings } from './values.ts';
import { lovelace } from '../../platform/units/money.ts';
import { INPUT_BYTES, minAda, minFee, signedSize } from './costs.ts';
import { type TransactionDraft, type DraftOutput, encodeDraft, transactionHash } from './draft.ts';
import type { ProtocolParameters } from '../ledger/parameters.ts';
import type { BuiltTransaction, Unit } from '../transaction.ts';
import { scriptHash } from '../scripts/native-script.ts';

/**
 * Builds a transaction whose outputs depend on its fee: drafts it with no fee, computes the fee, and drafts it again.
 * Throws INSUFFICIENT_FUNDS when an output holds less than its min-ADA.
 */
export function buildWithFee(
  parameters: ProtocolParameters,
  draftWith: (fee: bigint) => TransactionDraft,
): BuiltTransaction {
  // Outputs only shrink by the fee, so the second draft is never larger than the measured one.
  const fee = minFee(parameters, draftWith(0n));
  const draft = draftWith(fee);
  assertPayable(parameters, draft.outputs);
  assertBalanced(draft, fee);
  const cbor = encodeDraft(draft, fee);
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

/** Builds a transaction with the first items of `count`, as many as fit into it. */
export function buildLargestFitting<Built extends { readonly transaction: BuiltTransaction }>(
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
  if (!fits(built)) throw new Error('a single item does not fit into a transaction');
  return { ...built, taken: least };
}

function assertPayable(parameters: ProtocolParameters, outputs: readonly DraftOutput[]): void {
  for (const output of outputs) requireNonNegative(output.lovelace - minAda(parameters, output));
}

/** Checks every builder: inputs and minted tokens equal outputs and fee. */
function assertBalanced(draft: TransactionDraft, fee: bigint): void {
  const spent = sumHoldings(draft.inputs.map(({ utxo }) => utxo));
  const minted = new Map(
    [...(draft.mint?.quantities ?? [])].map(([name, quantity]) => [mintedUnit(draft, name), quantity]),
  );
  const consumed = sumHoldings([spent, { lovelace: lovelace(0n), assets: minted }]);
  const produced = sumHoldings([...draft.outputs, { lovelace: lovelace(fee), assets: new Map() }]);
  const units = new Set([...consumed.assets.keys(), ...produced.assets.keys()]);
  const uneven = [...units].filter((unit) => (consumed.assets.get(unit) ?? 0n) !== (produced.assets.get(unit) ?? 0n));
  if (consumed.lovelace !== produced.lovelace || uneven.length > 0) {
    throw new Error(
      `unbalanced transaction: ${consumed.lovelace} in, ${produced.lovelace} out, uneven ${uneven.join()}`,
    );
  }
}

function mintedUnit({ mint }: TransactionDraft, name: string): Unit {
  return `${mint ? scriptHash(mint.policy) : ''}${name}`;
}
