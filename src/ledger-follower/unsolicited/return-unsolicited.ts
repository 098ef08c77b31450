import type { Caller } from '../../access/rules/caller.ts';
import type { WalletAddress } from '../../cardano/scripts/address.ts';
import type { NetworkState } from '../../cardano/ledger/network-state.ts';
import { atField, type ErrorCode, ServiceError } from '../../platform/errors/errors.ts';
import type { TransactionContext } from '../../platform/database/transaction-context.ts';
import { lockUnsolicited, type UnsolicitedOutput } from '../queries/unsolicited.ts';
import type { ServiceContext } from '../../context.ts';
import { requireReadableVault } from '../../vaults/vault-access.ts';
import { publish } from '../../events/publish.ts';
import { type StartedReturn, startUnsolicitedReturn } from './start-return.ts';
import { type UtxoRef, refText } from '../../transactions/rules/utxo-ref.ts';

interface ReturnUnsolicited {
  readonly vaultId: string;
  readonly outputs: readonly UtxoRef[];
  readonly to: WalletAddress;
  readonly caller: Caller;
}

/**
 * Returns unsolicited outputs of a vault in a transaction that the platform signs, after the cosigners of its custody if it spends from
 * there, and the outputs pay (design D16). Throws
 * VAULT_NOT_FOUND, the codes that begin with UNSOLICITED_OUTPUT, INVALID_REQUEST when the outputs do not fit into one
 * transaction and INSUFFICIENT_FUNDS.
 */
export async function returnUnsolicited(
  context: TransactionContext,
  { networkId }: Pick<ServiceContext, 'networkId'>,
  { vaultId, outputs: refs, to, caller }: ReturnUnsolicited,
  chain: NetworkState,
): Promise<StartedReturn> {
  const { tx } = context;
  const vault = await requireReadableVault({ db: tx }, caller, vaultId);
  const outputs = requireReturnable(refs, await lockUnsolicited(tx, vault.id, refs));
  const recorded = await startUnsolicitedReturn(context, { vault, outputs, to: to.address, networkId }, chain);
  const metadata = {
    transactionHash: recorded.transaction.hash,
    to: to.address,
    outputs: outputs.map(({ utxo }) => refText(utxo)),
  };
  await publish(context, {
    audit: { action: 'UNSOLICITED_RETURN_STARTED', resource: { type: 'vault', id: vault.id }, metadata, caller },
  });
  return recorded;
}

/** The outputs in the order of `refs`. Throws UNSOLICITED_OUTPUT_NOT_FOUND, _GONE and _LEAVING. */
function requireReturnable(refs: readonly UtxoRef[], found: readonly UnsolicitedOutput[]): UnsolicitedOutput[] {
  const byRef = new Map(found.map((output) => [refText(output.utxo), output]));
  return refs.map((ref, position) => {
    const output = byRef.get(refText(ref));
    const refusal = (code: ErrorCode) =>
      atField(new ServiceError(code, { output: refText(ref) }), `outputs.${position}`);
    if (!output) throw refusal('UNSOLICITED_OUTPUT_NOT_FOUND');
    if (output.status === 'GONE') throw refusal('UNSOLICITED_OUTPUT_GONE');
    if (output.status !== 'PRESENT') throw refusal('UNSOLICITED_OUTPUT_LEAVING');
    return output;
  });
}
