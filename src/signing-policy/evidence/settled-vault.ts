import { custodyAddressOf } from '../../cardano/scripts/script-addresses.ts';
import { referenceOf } from '../../cardano/tokens/fractional-token.ts';
import type { OfVault } from '../evidence.ts';
import { assertAllowed } from '../policy.ts';
import type { ChainTransaction } from '../../transactions/queries/transactions.ts';
import { rotationsOf } from '../../rotation/queries.ts';
import { vaultTransactions } from '../../transactions/queries/listed-transactions.ts';
import { custodyRefusal } from '../../rotation/announce-rotation.ts';
import { type EvidenceContext, gatherVault, isMintedBy, type SettledVault, type VaultContext } from './vault.ts';
import { confirmedMint } from './confirmed-mint.ts';

/**
 * As `gatherVault`, of a vault with its token and its own custody. Only the worker signs for the policies of a vault, and once, so that the
 * policy of the token proves it: the ends of its mints are all that is taken from rows.
 */
export async function gatherSettledVault(
  context: VaultContext,
  recorded: Pick<ChainTransaction, 'vaultId'>,
): Promise<SettledVault> {
  const { row, vault, keyHashes } = await gatherVault(context, recorded);
  const { ftUnit } = row;
  const mints = await vaultTransactions(context.db, row.id, ['mint']);
  assertAllowed(
    ftUnit !== null && mints.some((mint) => isMintedBy(vault, ftUnit, mint)),
    "its vault's token has another policy",
  );
  const settled = { row, vault, keyHashes, ftUnit };
  await requireOwnCustody(context, settled);
  return settled;
}

/** What a rotation moves is evaluated by the scripts on the ledger and by its new custody. */
export async function gatherMove(context: EvidenceContext, recorded: ChainTransaction): Promise<OfVault> {
  const { vault } = await gatherSettledVault(context, recorded);
  return { vault };
}

/**
 * Throws TRANSACTION_NOT_JUSTIFIED unless the custody of a vault is the one to which its mint on the ledger has brought the reference token, or
 * follows from that one by rotations to which those who guarded it have agreed.
 */
async function requireOwnCustody({ db, ledger, networkId }: VaultContext, settled: SettledVault): Promise<void> {
  const { row, vault, ftUnit } = settled;
  const { vaultKeyHash, cosigners, formerCustodies } = vault;
  const { outputs } = await confirmedMint({ db, ledger }, settled);
  const minted = outputs.find(({ assets }) => assets.has(referenceOf(ftUnit)));
  const custodies = [...formerCustodies, { vaultKeyHash, cosigners }].map((guard) => {
    return { ...guard, contractAddress: custodyAddressOf(guard, networkId).address };
  });
  assertAllowed(minted?.address === custodies[0]?.contractAddress, 'its mint has paid another custody');
  const rotations = formerCustodies.length === 0 ? [] : await rotationsOf(db, row.id);
  for (const [changes, to] of custodies.slice(1).entries()) {
    const from = custodies[changes] ?? to;
    const refusals = rotations.map(({ agreements }, before) =>
      custodyRefusal({ vaultId: row.id, from, to, agreements, rotations: before }, networkId),
    );
    assertAllowed(refusals.includes(null), `its custody ${to.contractAddress} ${refusals[0] ?? 'is of no rotation'}`);
  }
}
