import { isVaultToken, type TokensOfVault } from '../../vaults/rules/vault-tokens.ts';
import type { Utxo } from '../transaction.ts';
import type { DraftInput } from './draft.ts';

/** More than the min-ADA of an output with one asset. */
const ADA_OF_ASSET = 2_000_000n;
/** Less than that moves with the asset that it lies with: a transaction for it would cost a good part of it. */
const WORTH_GATHERING = 5_000_000n;
/** Eighty inputs and the outputs of a pot take less than half of the size that the ledger accepts. */
const MAX_WEIGHT = 80;
/** An asset that returns to custody takes about three times the bytes of an input. */
const WEIGHT_OF_ASSET = 3;

/** The first of these inputs, as many as one transaction can gather together with the outputs for assets that return to custody. */
export function gatheringBatch(inputs: readonly DraftInput[], ftUnit: string): readonly DraftInput[] {
  let weight = 0;
  const end = inputs.findIndex(({ utxo: { assets } }) => {
    const returned = assets.has(ftUnit) ? assets.size - 1 : assets.size;
    weight += 1 + WEIGHT_OF_ASSET * returned;
    return weight > MAX_WEIGHT;
  });
  return end < 0 ? inputs : inputs.slice(0, Math.max(1, end));
}

/** Whether an output holds what a vault shares: ADA and its tokens, and assets only with much ADA. */
export function isShared({ assets, lovelace }: Utxo, tokens: TokensOfVault): boolean {
  const others = [...assets.keys()].filter((unit) => unit !== tokens.ftUnit);
  if (others.length === 0) return true;
  const isIdentity = others.some((unit) => isVaultToken(unit, tokens));
  return !isIdentity && lovelace >= WORTH_GATHERING + ADA_OF_ASSET * BigInt(others.length);
}
