import { buildClaim } from '../../cardano/build/claim.ts';
import { claimsAddressOf } from '../../cardano/scripts/script-addresses.ts';
import { claimsEnd, requireClaimable, requirePayout } from '../rules/claims/claim.ts';
import { ServiceError } from '../../platform/errors/errors.ts';
import type { Caller } from '../../access/rules/caller.ts';
import type { Instant } from '../../platform/units/instant.ts';
import type { BaseUnits } from '../../platform/units/money.ts';
import { insertClaim, type NewClaim } from '../queries/claims.ts';
import { closeFence } from '../../platform/database/fences.ts';
import { findTermination } from '../queries/terminations.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import type { Vault } from '../../vaults/queries/vaults.ts';
import { stakedBy } from '../../staking/queries/vault-stakes.ts';
import type { Actor } from '../../access/actor.ts';
import type { ServiceContext } from '../../context.ts';
import { type StartedTransaction, startWalletTransaction } from '../../transactions/start-wallet-transaction.ts';
import { requireHeldVault } from '../../vaults/require-held-vault.ts';
import { requireFtUnit } from '../../vaults/require-vault-state.ts';
import { claimedAmount } from './claimed-amount.ts';
import { leastWanted } from './least-wanted.ts';
import type { ClaimPrefetch } from './prefetch-claim.ts';
import { requireNoSaleUnderWay } from './require-no-sale.ts';
import { supersedeUnsignedClaims } from './supersede-claims.ts';

interface ClaimInput {
  readonly vaultId: string;
  /** Whole tokens; all that the wallet has when absent. */
  readonly amount: number | string | undefined;
  readonly holder: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface StartedClaim extends StartedTransaction {
  readonly claimId: string;
  /** What the wallet has staked, which it can claim for once it is unstaked. */
  readonly staked: BaseUnits;
}

/**
 * Records a claim and the transaction in which the holder returns tokens and is paid out of the pot; it replaces the wallet's unsigned
 * claims from this vault. It reserves nothing: no claim makes the share of another one smaller, and outputs of the pot are leased with the
 * signature. Throws VAULT_NOT_FOUND, CLAIMS_NOT_OPEN, CLAIMS_CLOSED, CLAIMS_AWAIT_SALE, INVALID_QUANTITY, CLAIM_TOO_SMALL,
 * CLAIM_EXCEEDS_SUPPLY, POT_IN_USE, ASSET_NOT_IN_WALLET and INSUFFICIENT_FUNDS.
 */
export async function claim(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  input: ClaimInput,
  prefetch: ClaimPrefetch,
): Promise<StartedClaim> {
  const { tx, now } = context;
  const { holder } = input;
  const vault = await requireHeldVault(context, input, prefetch.utxos);
  const termination = await findTermination(tx, vault.id);
  requireClaimable(termination, now);
  await requireNoSaleUnderWay(tx, vault.id);
  await closeFence(tx, `wallet:${holder.address}`);
  await supersedeUnsignedClaims(context, vault.id, holder.address);

  const staked = await stakedBy(tx, vault.id, holder.address);
  const amount = await namingStaked(staked, () => claimedAmount(context, vault, { ...input, utxos: prefetch.utxos }));
  const claimed = { id: context.ids.next(), vaultId: vault.id, wallet: holder.address, amount };
  const payout = requirePayout(termination.pot, amount);
  const draft = { claimed: { ...claimed, payout }, vault, endsAt: claimsEnd(termination), networkId };
  const started = await namingStaked(staked, () => startClaim(context, input, draft, prefetch));
  return { ...started, claimId: claimed.id, staked };
}

interface ClaimDraft extends Pick<ServiceContext, 'networkId'> {
  readonly claimed: Omit<NewClaim, 'transactionId'>;
  readonly vault: Vault;
  readonly endsAt: Instant | null;
}

async function startClaim(
  context: TransactionContext,
  { holder, caller, correlationId }: ClaimInput,
  { claimed, vault, endsAt, networkId }: ClaimDraft,
  prefetch: ClaimPrefetch,
): Promise<StartedTransaction> {
  const { id: claimId, amount, payout } = claimed;
  const { vaultKeyHash } = vault;
  const pot = { ...claimsAddressOf(vault, networkId), vaultKeyHash };
  const ftUnit = requireFtUnit(vault);
  const eventData = { claimId, amountBaseUnits: amount.toString(), payoutLovelace: payout.toString() };
  return startWalletTransaction(context, {
    kind: 'claim',
    vaultId: vault.id,
    actor: holder,
    prefetch,
    window: null,
    endsAt,
    vaultFunds: {
      utxos: await leastWanted(context.tx, { vaultId: vault.id, claimId, pot: prefetch.pot }),
      keyHash: vaultKeyHash,
    },
    build: (payer, ttlSlot, free) =>
      buildClaim(prefetch.chain, { holder: payer, pot: { ...pot, free }, ftUnit, amount, payout, ttlSlot }),
    record: (transactionId) => insertClaim(context, { ...claimed, transactionId }),
    action: 'CLAIM_STARTED',
    brought: [{ resource: { type: 'claim', id: claimId }, eventData }],
    caller,
    correlationId,
  });
}

/** Runs `work`. An ASSET_NOT_IN_WALLET of it says how much of what is missing the wallet has staked. */
async function namingStaked<Result>(staked: BaseUnits, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.code !== 'ASSET_NOT_IN_WALLET') throw cause;
    throw new ServiceError(cause.code, { ...cause.details, stakedBaseUnits: staked.toString() }, { cause });
  }
}
