import { type FieldProblem, ServiceError } from '../platform/errors/errors.ts';
import type { Caller } from '../access/rules/caller.ts';
import { minInvestment } from './rules/investment.ts';
import type { Lovelace } from '../platform/units/money.ts';
import { mayInvest } from '../vaults/rules/access.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { Actor } from '../access/actor.ts';
import type { ServiceContext } from '../context.ts';
import { prefetchWallet, type WalletPrefetch } from '../transactions/wallet-prefetch.ts';
import { requireVaultWithOpenWindow } from '../vaults/require-vault-state.ts';
import { accessOf } from '../vaults/vault-access.ts';

export interface InvestInput {
  readonly vaultId: string;
  readonly lovelace: Lovelace;
  /** 80 % of the present value of the vault if absent; 0 sets no bound (design D41). */
  readonly minVaultValue: Lovelace | undefined;
  /** Null sets no bound. */
  readonly maxFdv: Lovelace | null;
  readonly investor: Actor;
  readonly caller: Caller;
  readonly correlationId: string;
}

/** Reads what an investor can pay with. Throws what `invest` would throw before it asks the ledger, and LEDGER_UNAVAILABLE. */
export async function prefetchInvestment(
  context: Pick<ServiceContext, 'db' | 'readingTime' | 'networkState' | 'ledger' | 'networkId'>,
  { vaultId, lovelace, investor, caller }: InvestInput,
): Promise<WalletPrefetch> {
  const vault = await requireVaultWithOpenWindow(context, caller, vaultId, 'investment');
  requireAccepted(vault, investor.address, lovelace);
  return prefetchWallet(context, investor);
}

/** Throws INVESTOR_NOT_WHITELISTED and INVESTMENT_TOO_SMALL. */
export function requireAccepted(vault: Vault, investor: string, lovelace: Lovelace): void {
  if (!mayInvest(accessOf(vault), investor)) throw new ServiceError('INVESTOR_NOT_WHITELISTED');
  if (lovelace < minInvestment) {
    const minimum = minInvestment.toString();
    const problem: FieldProblem = { code: 'TOO_SMALL', message: `Must be at least ${minimum}`, field: 'lovelace' };
    throw new ServiceError('INVESTMENT_TOO_SMALL', { minimum, errors: [problem] });
  }
}
