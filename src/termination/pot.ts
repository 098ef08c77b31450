import { vaultAssets } from '../assets/queries/listed-assets.ts';
import {
  type ClosablePot,
  closedOf,
  closedUncounted,
  gatheredPot,
  isShared,
  handedSurplus,
} from '../cardano/build/termination.ts';
import { minAda, type DraftInput } from '../cardano/build/draft.ts';
import type { Custody } from '../cardano/build/custody.ts';
import { sumHoldings } from '../cardano/build/values.ts';
import { claimsAddressOf, liquidityAddressOf } from '../cardano/scripts/script-addresses.ts';
import { custodyScript } from '../cardano/scripts/vault-scripts.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import { heldAt } from '../ledger-follower/record-blocks.ts';
import type { Transaction, Db } from '../platform/database/database.ts';
import type { TransactionContext } from '../platform/database/unit-of-work.ts';
import { type Instant, secondsAfter } from '../platform/units/time.ts';
import { type Lovelace, lovelace, baseUnits } from '../platform/units/money.ts';
import { ownOutputs } from '../settlement/queries/outputs.ts';
import { publishClaimsChange } from './begin-termination.ts';
import { paidOut } from './queries/claims.ts';
import { getTermination, type Termination, lockTermination, setEnded } from './queries/terminations.ts';
import { type Pot, endOfClaims } from './rules/pot.ts';
import type { TerminationEnd } from './rules/steps.ts';
import type { ChainTransaction } from '../transactions/queries/transactions.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import { isAnySent } from '../transactions/queries/listed-transactions.ts';
import { isOnLedger, refText } from '../transactions/rules.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import { requireFtUnit } from '../vaults/require-vault.ts';
import type { WorkerContext } from '../worker-context.ts';

/** What final transactions have brought into the pot of a vault before its claims and sales. */
function recordedPot(final: readonly ChainTransaction[], vault: Vault, networkId: NetworkId) {
  const gatherings = final.filter(({ kind }) => kind === 'gather_pot');
  const { pot, float } = gatheredPot(gatherings, {
    sources: [vault.contractAddress, liquidityAddressOf(vault, networkId).address],
    claimsAddress: claimsAddressOf(vault, networkId).address,
    ftUnit: requireFtUnit(vault),
    ftSupply: vault.terms.ftSupply,
  });
  const handed = handedIn(final, vault);
  return { pot: { ...pot, lovelace: lovelace(pot.lovelace + handed) }, float };
}

/** What final hand-overs among these have brought into the pot of a vault. */
function handedIn(final: readonly ChainTransaction[], vault: Vault): Lovelace {
  const handOvers = final.filter(({ kind }) => kind === 'hand_over');
  return lovelace(handOvers.reduce((sum, one) => sum + handedSurplus(one, vault), 0n));
}

/** What final sales among these have brought, which pay into the pot of a vault with their first output. */
function proceedsOf(final: readonly ChainTransaction[], vault: Vault, networkId: NetworkId): bigint {
  const { address: claims } = claimsAddressOf(vault, networkId);
  const proceeds = final.flatMap(({ kind, outputs }) => (kind === 'execute' ? outputs.slice(0, 1) : []));
  return proceeds.reduce((sum, { address, lovelace: paid }) => (address === claims ? sum + paid : sum), 0n);
}

/** What lies at the claims address of a vault. */
interface PotOutputs {
  /** Those that no open transaction holds. */
  readonly free: readonly DraftInput[];
  /** Whether these are all. */
  readonly isWhole: boolean;
  /** How many there are, and the lovelace in them. */
  readonly count: number;
  readonly lovelace: bigint;
}

/** What lies at the claims address of a vault; unsolicited outputs are not the pot's. */
export async function potOutputs(context: WorkerContext, vault: Vault): Promise<PotOutputs> {
  const { db, networkId } = context;
  const { script, address } = claimsAddressOf(vault, networkId);
  const found = await heldAt(context, vault.id, address);
  const ofPot = await ownOutputs(db, vault.id, found);
  const free = await excludeLeased(db, ofPot);
  return {
    free: free.map((utxo) => ({ utxo, script })),
    isWhole: free.length === ofPot.length,
    count: ofPot.length,
    lovelace: sumHoldings(ofPot).lovelace,
  };
}

/**
 * The pot with which claims open, by the transactions that the vault has made. Before the first time nothing was sold into it and nothing
 * paid from it; they open again where a rollback has undone a gathering for good.
 */
export async function potOfClaims(
  tx: Transaction,
  made: readonly ChainTransaction[],
  vault: Vault,
  networkId: NetworkId,
): Promise<{ readonly pot: Pot; readonly float: Lovelace }> {
  const final = made.filter(({ state }) => state === 'final');
  const { pot, float } = recordedPot(final, vault, networkId);
  const paid = await paidOut(tx, vault.id);
  const remainders = made.filter(({ kind, state }) => kind === 'pay_remainder' && isOnLedger(state));
  const given = remainders.reduce((sum, { outputs: [first] }) => sum + (first?.lovelace ?? 0n), paid.lovelace);
  const left = pot.lovelace + proceedsOf(final, vault, networkId) - given;
  return {
    // A small remainder was topped up to what an output has to hold.
    pot: { lovelace: lovelace(left > 0n ? left : 0n), circulating: baseUnits(pot.circulating - paid.returned) },
    float,
  };
}

/** So long after the deadline the float is waited for while claims are confirmed, because only between them pot and ledger are the same. */
const PATIENCE_SECONDS = 86_400;

/** What `closedOf` says of the pot of a vault; null while it says nothing, for a day at most. */
export async function closablePot(context: WorkerContext, vault: Vault, now: Instant): Promise<ClosablePot | null> {
  const termination = await getTermination(context.db, vault.id);
  const [found, least] = [await potOutputs(context, vault), await leastOfPot(context, vault)];
  const closed = closedOf(termination, found, least);
  const { claimDeadline } = termination;
  const mayWait = claimDeadline === null || now < secondsAfter(claimDeadline, PATIENCE_SECONDS);
  return closed ?? (mayWait ? null : closedUncounted(termination, found, least));
}

/** The min-ADA of an output with all that the pot may have. */
async function leastOfPot({ networkState, networkId }: WorkerContext, vault: Vault): Promise<bigint> {
  const { address } = claimsAddressOf(vault, networkId);
  const assets = new Map([[requireFtUnit(vault), BigInt(vault.terms.ftSupply)]]);
  return minAda((await networkState()).parameters, { address, lovelace: lovelace(2n ** 40n), assets });
}

/**
 * What a vault that ends shares (design D13d): the outputs in its custody and at its liquidity address that hold no token but its own,
 * and those in which assets lie with much ADA, in the order of their references. Unsolicited outputs are not the vault's.
 */
export async function gatherableOutputs(context: WorkerContext, vault: Vault): Promise<DraftInput[]> {
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
    inputs.push(
      ...free.toSorted((one, other) => (refText(one) < refText(other) ? -1 : 1)).map((utxo) => ({ utxo, script })),
    );
  }
  return inputs;
}

/** The custody of a vault that ends, from which its registered cosigners sign, if it has any. */
export function custodyOf(vault: Vault): Custody {
  const { vaultKeyHash, contractAddress: address, cosigners } = vault;
  return {
    address,
    script: custodyScript(vault),
    vaultKeyHash,
    cosigners: cosigners?.keyHashes ?? [],
    allCosign: cosigners === null || cosigners.required === cosigners.keyHashes.length,
  };
}

/** Why the claims on a vault are over, see `endOfClaims`. Null while they are not, or something may still be rolled back into the pot. */
export async function claimsEnd(
  db: Db | Transaction,
  { vaultId, claimDeadline, pot, remainingAssetsTo }: Termination,
  now: Instant,
): Promise<TerminationEnd | null> {
  const hasAssets = (await vaultAssets(db, vaultId, ['LOCKED'])).length > 0;
  const end = endOfClaims({ claimDeadline, pot, hasAssets, namesAssetRecipient: remainingAssetsTo !== null }, now);
  // Until they are final, a rollback may bring back what was claimed or sold.
  if (end === 'nothing_left' && (await isAnySent(db, vaultId, ['execute', 'claim']))) return null;
  return end;
}

/** Ends the claims, unless the price of a sale has come into the pot meanwhile. Returns whether they are over. */
export async function endClaims(context: TransactionContext, { id }: Pick<Vault, 'id'>): Promise<boolean> {
  const termination = await lockTermination(context.tx, id);
  const end = termination && (await claimsEnd(context.tx, termination, context.now));
  if (end) await publishClaimsChange(context, await setEnded(context, id, end), { hash: null });
  return end !== null;
}
