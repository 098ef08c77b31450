import { vaultGuardOf } from '../../cardano/scripts/vault-addresses.ts';
import { type Caller, requireMayActFor } from '../../access/rules.ts';
import type { Page, PageCount } from '../../platform/database/page.ts';
import { type ListedOutput, listUnsolicited, type UnsolicitedFilter } from '../queries/unsolicited.ts';
import type { ServiceContext } from '../../context.ts';
import { requireReadableVault } from '../../vaults/require-vault.ts';

/** An unsolicited output, and whether it can be returned now, with the cosigners of its custody where it has any. */
export interface UnsolicitedView extends ListedOutput {
  readonly returnable: boolean;
}

/** A page of the unsolicited outputs at the addresses of a vault. Only for the admin of the vault and keys that may act for them. */
export async function listUnsolicitedOutputs(
  context: Pick<ServiceContext, 'db' | 'networkId'>,
  caller: Caller,
  filter: UnsolicitedFilter,
  page: Page<'seenAt' | 'lovelace'>,
): Promise<{ outputs: readonly UnsolicitedView[]; count: PageCount }> {
  const { db, networkId } = context;
  const vault = await requireReadableVault(context.db, caller, filter.vaultId);
  requireMayActFor(caller, vault.createdBy);
  const { outputs, count } = await listUnsolicited(db, filter, page);
  const isGuarded = ({ utxo: { address }, place: kind, depositor }: ListedOutput) =>
    vaultGuardOf(vault, { kind, address, depositor }, networkId) !== null;
  const views = outputs.map((output) => ({
    ...output,
    returnable: output.status === 'PRESENT' && isGuarded(output),
  }));
  return { outputs: views, count };
}
