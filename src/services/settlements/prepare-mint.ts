import { buildFtMint, type FtMint } from '../../chain/build/ft-mint.ts';
import { policyScript } from '../../chain/scripts/vault-scripts.ts';
import { ftBaseNameHex, tickerOf } from '../../chain/tokens/fractional-token.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { vaultTransactions } from '../../store/vault-transactions.ts';
import { getVault, type Vault } from '../../store/vaults.ts';
import type { Prepared } from '../../temporal/activity-types.ts';
import { operatorFunds } from '../operator/free-operator-utxos.ts';
import { platformTtlSlot } from '../../chain/ledger/deadline.ts';
import { liveTransaction, recordPlatformTransaction } from '../transactions/platform-transactions.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ids' | 'ledger' | 'networkState' | 'keys' | 'onQuarantine'>;

/** Builds and records the mint of a vault's fractional tokens (design D13c); null when it could not land before T. */
export async function prepareMint(
  context: Context,
  { vaultId, now }: { readonly vaultId: string; readonly now: Instant },
): Promise<Prepared | null> {
  const live = await liveTransaction(context, vaultId, 'mint');
  if (live) return { transactionId: live.id };
  const [vault, chain] = await Promise.all([getVault(context.db, vaultId), context.networkState()]);
  const ttlSlot = platformTtlSlot(chain.anchor, now, vault.settlesBy);
  if (ttlSlot === null) return null;
  const replaced = await vaultTransactions(context.db, vaultId, ['mint']);
  const operator = await operatorFunds(context, replaced);
  const built = buildFtMint(chain, { ...mintOf(vault), operator, ttlSlot: Math.min(ttlSlot, vault.settlesBySlot) });
  return recordPlatformTransaction(context, { kind: 'mint', vault, built, anchor: chain.anchor, now });
}

function mintOf({ name, terms, ...vault }: Vault): Omit<FtMint, 'operator' | 'ttlSlot'> {
  return {
    policy: policyScript({ policyKeyHash: vault.policyKeyHash, deadlineSlot: vault.settlesBySlot }),
    policyKeyHash: vault.policyKeyHash,
    ft: {
      nameHex: ftBaseNameHex(vault.ftUnit),
      supply: terms.ftSupply,
      name,
      ticker: tickerOf(name),
      decimals: terms.ftDecimals,
    },
    settlementAddress: vault.settlementAddress,
    custodyAddress: vault.contractAddress,
  };
}
