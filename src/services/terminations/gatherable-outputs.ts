import type { DraftInput } from '../../chain/build/draft.ts';
import { liquidityAddressOf } from '../../chain/scripts/script-addresses.ts';
import { custodyScript } from '../../chain/scripts/vault-scripts.ts';
import type { Utxo } from '../../chain/transaction.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import { isVaultToken, type TokensOfVault } from '../../domain/vault/vault-tokens.ts';
import { ownOutputs } from '../../store/platform-outputs.ts';
import { excludeLeased } from '../../store/utxo-leases.ts';
import type { Vault } from '../../store/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault-state.ts';
import type { WorkerContext } from '../worker-context.ts';
import { heldAt } from '../ledger/held-at.ts';

type Context = Pick<WorkerContext, 'db' | 'ledger' | 'networkId'>;

/** More than the min-ADA of an output with one asset. */
const ADA_OF_ASSET = 2_000_000n;
/** Less than that moves with the asset that it lies with: a transaction for it would cost a good part of it. */
const WORTH_GATHERING = 5_000_000n;
/** Eighty inputs and the outputs of a pot take less than half of the size that the ledger accepts. */
const MAX_WEIGHT = 80;
/** An asset that returns to custody takes about three times the bytes of an input. */
const WEIGHT_OF_ASSET = 3;

/**
 * What a vault that ends shares (design D13d): the outputs in its custody and at its liquidity address that hold no token but its own,
 * and those in which assets lie with much ADA, in the order of their references. Unsolicited outputs are not the vault's. Throws
 * LEDGER_UNAVAILABLE.
 */
export async function gatherableOutputs(context: Context, vault: Vault): Promise<DraftInput[]> {
  const { db, networkId } = context;
  const tokens = { policyId: vault.policyId, ftUnit: requireFtUnit(vault) };
  const liquidity = liquidityAddressOf(vault, networkId);
  const scripts = new Map([
    [vault.contractAddress, custodyScript(vault)],
    [liquidity.address, liquidity.script],
  ]);
  const inputs: DraftInput[] = [];
  for (const [address, script] of scripts) {
    const shared = (await heldAt(context, vault.id, address)).filter((utxo) => isShared(utxo, tokens));
    const free = await excludeLeased(db, await ownOutputs(db, vault.id, shared));
    inputs.push(...free.toSorted(byReference).map((utxo) => ({ utxo, script })));
  }
  return inputs;
}

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

function byReference(one: Utxo, other: Utxo): number {
  return refText(one) < refText(other) ? -1 : 1;
}
