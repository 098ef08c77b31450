import { vaultAddresses } from '../../chain/scripts/vault-addresses.ts';
import { refText } from '../../domain/transaction/utxo-ref.ts';
import type { Instant } from '../../domain/units/instant.ts';
import { excludeOwnOutputs } from '../../store/platform-outputs.ts';
import { type FoundOutput, insertUnsolicited, recordedRefs, markPresent } from '../../store/unsolicited.ts';
import { vaultParticipants } from '../../store/unsolicited-scan-targets.ts';
import type { Vault } from '../../store/vaults.ts';
import { stakesOwnersMayTake } from '../../store/vault-stakes.ts';
import { recordReclaimedStake } from '../stakes/reclaimed-stakes.ts';
import { findSpendingTransaction } from '../../chain/ledger/find-spending-transaction.ts';
import type { WorkerContext } from '../worker-context.ts';

type Context = Pick<WorkerContext, 'db' | 'unitOfWork' | 'ledger' | 'networkId' | 'confirmationDepth'>;

/** Records the unsolicited outputs at the addresses of a vault, and the stakes that owners have reclaimed. Throws LEDGER_UNAVAILABLE. */
export async function scanVault(context: Context, vault: Vault, now: Instant): Promise<void> {
  const { db, ledger, networkId, unitOfWork } = context;
  const unspent: FoundOutput[] = [];
  for (const place of vaultAddresses(vault, await vaultParticipants(db, vault.id, now), networkId)) {
    unspent.push(...(await ledger.utxos(place.address)).map((utxo) => ({ utxo, place })));
  }
  await recordReclaimedStakes(context, vault, new Set(unspent.map(({ utxo }) => refText(utxo))), now);
  const listed = await recordedRefs(db, vault.id);
  // Read after the ledger: the platform records its transactions before it submits them, so none that the ledger showed is missing.
  const unlisted = await excludeOwnOutputs(
    db,
    unspent.filter(({ utxo }) => !listed.has(refText(utxo))),
  );
  const found = await finalOutputs(context, unlisted);
  if (found.length === 0 && listed.size === 0) return;
  await unitOfWork(async (context) => {
    await insertUnsolicited(context, vault.id, found);
    const present = unspent.map(({ utxo }) => utxo);
    await markPresent(context, vault.id, present);
  });
}

/** Records the stakes that have left their vault by final transactions of their owners. */
async function recordReclaimedStakes(
  context: Context,
  vault: Vault,
  unspent: ReadonlySet<string>,
  now: Instant,
): Promise<void> {
  for (const output of await stakesOwnersMayTake(context.db, vault.id, now)) {
    if (unspent.has(refText(output))) continue;
    const found = await findSpendingTransaction(context, output);
    if (found.kind !== 'spent' || !found.isFinal) continue;
    await context.unitOfWork((transaction) => recordReclaimedStake(transaction, output.stakeId, found.spender));
  }
}

/** The outputs of transactions that are final. */
async function finalOutputs(
  { ledger, confirmationDepth }: Context,
  outputs: readonly FoundOutput[],
): Promise<FoundOutput[]> {
  if (outputs.length === 0) return [];
  const { height } = await ledger.latestBlock();
  const final = new Set<string>();
  for (const hash of new Set(outputs.map(({ utxo }) => utxo.txHash))) {
    const transaction = await ledger.transaction(hash);
    if (transaction && transaction.blockHeight <= height - confirmationDepth + 1) final.add(hash);
  }
  return outputs.filter(({ utxo }) => final.has(utxo.txHash));
}
