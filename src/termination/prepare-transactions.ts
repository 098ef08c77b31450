import type { Asset } from '../assets/queries/assets.ts';
import { vaultAssets } from '../assets/queries/listed-assets.ts';
import { unitOf } from '../assets/rules/asset.ts';
import { buildAssetHandOver } from '../cardano/build/execution.ts';
import { selectUtxos } from '../cardano/build/funding.ts';
import { type AssetQuantity, unitsOf } from '../cardano/build/custody.ts';
import type { DraftInput } from '../cardano/build/draft.ts';
import {
  gatheringBatch,
  buildPotGathering,
  buildRemainderPayment,
  buildVaultClosing,
} from '../cardano/build/termination.ts';
import { sumHoldings } from '../cardano/build/values.ts';
import { claimsAddressOf } from '../cardano/scripts/script-addresses.ts';
import { custodyScript } from '../cardano/scripts/vault-scripts.ts';
import { referenceDatum } from '../cardano/tokens/fractional-token.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { heldAt } from '../ledger-follower/record-blocks.ts';
import type { Prepared } from '../platform/temporal/activity-types.ts';
import type { Instant } from '../platform/units/time.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { ftDescription } from '../settlement/plan-settlement.ts';
import { vaultSpendableUtxos, ownOutputs } from '../settlement/queries/outputs.ts';
import { custodyOf, gatherableOutputs, potOutputs, closablePot } from './pot.ts';
import { getTermination, type Termination } from './queries/terminations.ts';
import type { HandedAsset } from './rules/pot.ts';
import {
  isAnyOnLedger,
  prepareEndingStep,
  type VaultActivityInput,
  requireNoQuarantine,
} from './termination-transactions.ts';
import { linkDeposits } from '../transactions/queries/recorded-transactions.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { isAnySent } from '../transactions/queries/listed-transactions.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault.ts';
import { isVaultToken } from '../vaults/rules/vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * What is left to gather of a vault, in the order of its references; null when nothing is. A vault that has nothing to gather gets a pot
 * with what the operator lends alone, for what sales bring later.
 */
export async function leftToGather(context: WorkerContext, vault: Vault): Promise<readonly DraftInput[] | null> {
  const inputs = await gatherableOutputs(context, vault);
  return inputs.length > 0 || !(await isAnyOnLedger(context, vault, 'gather_pot')) ? inputs : null;
}

/** Prepares the next transaction that gathers the pot; null when there is nothing left to gather. */
export function prepareGathering(context: WorkerContext, input: VaultActivityInput): Promise<Prepared | null> {
  return prepareEndingStep(context, input, 'gather_pot', async (vault) => {
    const left = await leftToGather(context, vault);
    if (left === null) return null;
    const ftUnit = requireFtUnit(vault);
    const inputs = gatheringBatch(left, ftUnit);
    const { count: inPot } = await potOutputs(context, vault);
    const custody = custodyOf(vault);
    // Its liquidity share needs the vault's key alone.
    const cosigners = inputs.some(({ utxo }) => utxo.address === custody.address) ? vault.cosigners : null;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    const signed = cosigners ? custody : { ...custody, cosigners: [], allCosign: true };
    return {
      build: (chain, operator, ttlSlot) =>
        buildPotGathering(chain, {
          inputs,
          claimsAddress,
          inPot,
          custody: signed,
          ftUnit,
          ftSupply: vault.terms.ftSupply,
          operator,
          ttlSlot,
        }),
      cosigners,
    };
  });
}

/** Assets of one transaction: their names take most of its size. */
const BATCH = 30;

type Handed = Asset & Pick<HandedAsset, 'address'>;

/**
 * The assets in custody that go to a wallet: those that the decision names, and all others to the wallet for what is left once the
 * claims are over. One that is staked elsewhere cannot move, and one that custody does not hold keeps no other waiting.
 */
export async function assetsToHand(context: WorkerContext, vault: Vault, termination: Termination): Promise<Handed[]> {
  const wanted = await assetsWithRecipient(context, vault, termination);
  return wanted.length === 0 ? [] : heldAmong(wanted, await outputsInCustody(context, vault));
}

async function assetsWithRecipient(
  { db }: WorkerContext,
  { id }: Vault,
  { handedAssets, remainingAssetsTo, endedBecause }: Termination,
): Promise<Handed[]> {
  const named = new Map(handedAssets.map(({ assetId, address }) => [assetId, address]));
  const others = endedBecause === null ? null : remainingAssetsTo;
  const assets = await vaultAssets(db, id, ['LOCKED']);
  return assets.flatMap((asset) => {
    const address = named.get(asset.id) ?? others;
    return address === null || asset.stakingAddress !== null ? [] : [{ ...asset, address }];
  });
}

/** Prepares the next transaction that hands assets over; null when there is none, or others hold the assets. */
export function prepareHandOver(context: WorkerContext, input: VaultActivityInput): Promise<Prepared | null> {
  return prepareEndingStep(context, input, 'hand_over', async (vault) => {
    const termination = await getTermination(context.db, vault.id);
    const free = await excludeLeased(context.db, await outputsInCustody(context, vault));
    const assets = heldAmong(await assetsWithRecipient(context, vault, termination), free).slice(0, BATCH);
    if (assets.length === 0) return null;
    const utxos = selectUtxos(free, unitsOf(assets));
    const custody = custodyOf(vault);
    // A rollback of the last claim would leave tokens that nobody has returned.
    const isOwed = isPotOwed(termination) || (await isAnySent(context.db, vault.id, ['claim']));
    const claimsAddress = isOwed ? claimsAddressOf(vault, context.networkId).address : null;
    return {
      build: (chain, operator, ttlSlot) =>
        buildAssetHandOver(chain, { custody, utxos, assets, claimsAddress, operator, ttlSlot }),
      cosigners: vault.cosigners,
      insertRows: (tx, transactionId) => linkDeposits(tx, transactionId, assets.map(linked)),
    };
  });
}

/** Whether somebody can still get what goes into the pot: without tokens nobody could, unless a wallet is named for what is left. */
export function isPotOwed({
  claimsOpenedAt,
  pot,
  unclaimedLovelaceTo,
}: Pick<Termination, 'claimsOpenedAt' | 'pot' | 'unclaimedLovelaceTo'>): boolean {
  return claimsOpenedAt === null || pot.circulating > 0n || unclaimedLovelaceTo !== null;
}

async function outputsInCustody(context: WorkerContext, vault: Vault) {
  return vaultSpendableUtxos(context.db, vault.id, await heldAt(context, vault.id, vault.contractAddress));
}

/** Those of the assets that the outputs hold together. */
export function heldAmong<Held extends AssetQuantity>(assets: readonly Held[], outputs: readonly Utxo[]): Held[] {
  const left = new Map(sumHoldings(outputs).assets);
  return assets.filter((asset) => {
    const rest = (left.get(unitOf(asset)) ?? 0n) - asset.quantity;
    if (rest >= 0n) left.set(unitOf(asset), rest);
    return rest >= 0n;
  });
}

function linked({ id, address }: Handed) {
  return { depositId: id, depositKind: 'asset', payment: { address } } as const;
}

/** What has to be paid to the wallet that was named for what nobody claims; null when nobody was, or nothing is left. */
export function remainderOf({ unclaimedLovelaceTo, pot }: Termination): {
  readonly remainder: Lovelace;
  readonly recipient: string;
} | null {
  if (unclaimedLovelaceTo === null || pot.lovelace === 0n) return null;
  return { remainder: pot.lovelace, recipient: unclaimedLovelaceTo };
}

/** Prepares the payment of what nobody claimed; null when there is none, or another transaction holds a part of the pot. */
export function prepareRemainder(context: WorkerContext, input: VaultActivityInput): Promise<Prepared | null> {
  return prepareEndingStep(context, input, 'pay_remainder', async (vault) => {
    const owed = remainderOf(await getTermination(context.db, vault.id));
    if (owed === null) return null;
    await requireNoQuarantine(context, vault);
    const { free: pot, isWhole } = await potOutputs(context, vault);
    if (!isWhole) return null;
    const { vaultKeyHash } = vault;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    return {
      build: (chain, operator, ttlSlot) =>
        buildRemainderPayment(chain, { pot, claimsAddress, ...owed, vaultKeyHash, operator, ttlSlot }),
    };
  });
}

/** Whether the last transaction of a vault has something to move, or cannot say it yet. */
export async function isLeftToClose(context: WorkerContext, vault: Vault, now: Instant): Promise<boolean> {
  const closing = await closingOf(context, vault, now);
  return closing === null || closing.inputs.length > 0;
}

/** What the last transaction spends: the vault's NFT, its reference token, and what it closes of the pot; null while that has to wait. */
async function closingOf(context: WorkerContext, vault: Vault, now: Instant) {
  const pot = await closablePot(context, vault, now);
  return pot && { ...pot, inputs: [...(await identityOutputs(context, vault)), ...pot.inputs] };
}

/**
 * Prepares the transaction that leaves only tokens without value with the vault, and what can still be claimed; null when nothing has to
 * move, or it has to wait.
 */
export function prepareClosing(context: WorkerContext, input: VaultActivityInput): Promise<Prepared | null> {
  return prepareEndingStep(context, input, 'close_vault', async (vault) => {
    const closing = await closingOf(context, vault, input.now);
    if (closing === null || closing.inputs.length === 0) return null;
    await requireNoQuarantine(context, vault);
    const { vaultKeyHash, contractAddress: custodyAddress } = vault;
    const { address: claimsAddress } = claimsAddressOf(vault, context.networkId);
    const datum = referenceDatum(ftDescription(vault, context.tokenMetadata));
    return {
      build: (chain, operator, ttlSlot) =>
        buildVaultClosing(chain, {
          ...closing,
          custodyAddress,
          claimsAddress,
          ftUnit: requireFtUnit(vault),
          datum,
          vaultKeyHash,
          operator,
          ttlSlot,
        }),
    };
  });
}

/** The outputs in custody that hold the vault's NFT and its reference token. */
async function identityOutputs(context: WorkerContext, vault: Vault): Promise<DraftInput[]> {
  const { id, policyId, contractAddress, cosigners } = vault;
  // Cosigners would have to sign for tokens without value: those stay where they are.
  if (cosigners !== null) return [];
  const tokens = { policyId, ftUnit: requireFtUnit(vault) };
  const isIdentity = ({ assets }: Utxo) =>
    assets.size > 0 && [...assets.keys()].every((unit) => isVaultToken(unit, tokens));
  const found = (await heldAt(context, vault.id, contractAddress)).filter(isIdentity);
  const script = custodyScript(vault);
  return (await excludeLeased(context.db, await ownOutputs(context.db, id, found))).map((utxo) => ({ utxo, script }));
}
