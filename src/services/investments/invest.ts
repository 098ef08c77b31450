import type { Caller } from '../../domain/identity/caller.ts';
import { buildInvest } from '../../chain/build/invest.ts';
import { deliveryDeposits } from '../../chain/build/deposits.ts';
import { depositAddressOf } from '../../chain/scripts/script-addresses.ts';
import { mayInvest } from '../../domain/vault/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { minInvestment } from '../../domain/investment/investment.ts';
import type { Lovelace } from '../../domain/units/money.ts';
import { recordEvent } from '../../store/events.ts';
import { insertInvestment, type NewInvestment } from '../../store/investments.ts';
import type { TransactionContext } from '../../store/transaction-context.ts';
import { enqueueWorkflowMessage } from '../../store/workflow-outbox.ts';
import { transactionWorkflowId } from '../../temporal/workflow-ids.ts';
import type { ServiceContext } from '../context.ts';
import { accessOf } from '../vaults/read-vaults.ts';
import type { WalletPrefetch } from '../transactions/wallet-prefetch.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../publish.ts';
import { openVault, requireTimeToLand } from '../vaults/open-vault.ts';
import {
  deadlineBefore,
  buildWithPlatformFunds,
  type RecordedTransaction,
  buildAndRecord,
} from '../transactions/record-transaction.ts';

interface Wish {
  readonly vaultId: string;
  readonly lovelace: Lovelace;
  readonly investor: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

export interface Invested extends RecordedTransaction {
  readonly investment: NewInvestment;
}

/**
 * Records an investment and the transaction that brings it to the investor's deposit address, while the investment window is
 * open. Raises INVESTMENT_TOO_SMALL, INVESTOR_NOT_WHITELISTED, INSUFFICIENT_FUNDS and what `openVault` raises.
 */
export async function invest(
  work: TransactionContext,
  context: ServiceContext,
  wish: Wish,
  facts: () => WalletPrefetch,
): Promise<Invested> {
  const { tx, now } = work;
  const { ids, networkId } = context;
  const { investor, lovelace } = wish;
  const { vault, window } = await openVault(work, wish.caller, wish.vaultId, 'investment');
  if (!mayInvest(accessOf(vault), investor.address)) throw new ServiceError('INVESTOR_NOT_WHITELISTED');
  if (lovelace < minInvestment) throw new ServiceError('INVESTMENT_TOO_SMALL', { minimum: minInvestment.toString() });

  const { chain, utxos } = facts();
  const deadline = deadlineBefore(window.endsAt, now, chain.anchor);
  requireTimeToLand(deadline, window, work);
  const transactionId = ids.next();
  const ownerWorkflow = transactionWorkflowId(transactionId);
  const deliveryDeposit = deliveryDeposits(chain.parameters).investment;
  const { address: depositAddress } = depositAddressOf(vault, investor.paymentKeyHash, networkId);
  const { address, signer, paymentKeyHash } = investor;
  const record = {
    id: transactionId,
    kind: 'invest',
    vaultId: vault.id,
    ownerWorkflow,
    signer,
    wallet: address,
  } as const;
  const purse = { address, utxos, deadline, anchor: chain.anchor };
  const { transaction, expiresAt } = await buildAndRecord(work, record, purse, (free, ttlSlot) => {
    const payer = { address, keyHash: paymentKeyHash, utxos: free };
    const build = () => buildInvest(chain, { investor: payer, depositAddress, lovelace, deliveryDeposit, ttlSlot });
    return signer === 'platform' ? buildWithPlatformFunds(build) : build();
  });

  const id = ids.next();
  const investment = {
    id,
    vaultId: vault.id,
    wallet: address,
    lovelace,
    deliveryDeposit,
    transactionId,
    createdAt: now,
  };
  await insertInvestment(tx, investment);
  await enqueueWorkflowMessage(tx, ids, ownerWorkflow, {
    kind: 'start',
    workflow: 'transaction',
    transactionId,
    vaultId: vault.id,
  });
  const data = { investmentId: id, lovelace: lovelace.toString() };
  const told = { actor: address, transactionHash: transaction.hash, correlationId: wish.correlationId, data };
  await recordEvent(tx, ids, { type: 'INVESTMENT_STARTED', vaultId: vault.id, ...told }, now);
  const deed = { action: 'INVESTMENT_STARTED', resource: { type: 'investment', id }, caller: wish.caller } as const;
  const metadata = { vaultId: vault.id, transactionHash: transaction.hash };
  await publish({ tx, ids, now }, { audit: { ...deed, onBehalfOf: investor.onBehalfOf, metadata } });
  return { investment, transaction, expiresAt };
}
