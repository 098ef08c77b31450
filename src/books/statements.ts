import type { Caller } from '../access/rules.ts';
import { policyOf } from '../assets/rules/asset.ts';
import { type OwnAddresses, type ListedHeldOutput, listHeldOutputs } from './queries/holdings.ts';
import { type StatementPage, readStatement } from './queries/statements.ts';
import { type ResidualReason, residualReason } from './rules/residual-outputs.ts';
import { vaultAddresses } from '../cardano/scripts/vault-addresses.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { ServiceContext } from '../context.ts';
import type { Page, PageCount } from '../platform/database/page.ts';
import { isPotKept } from '../termination/rules/claims.ts';
import type { Vault } from '../vaults/queries/vaults.ts';
import type { VaultAddressKind } from '../vaults/rules/vault.ts';
import { requireReadableVault } from '../vaults/require-vault.ts';

/** A page of what came to and left the addresses of a vault. */
export interface Statement extends StatementPage, Pick<OwnAddresses, 'own'> {}

/** A page of the statement of a vault that the caller may read, after the movement with the key `after`. */
export async function readVaultStatement(
  context: Pick<ServiceContext, 'db' | 'networkId'>,
  caller: Caller,
  { vaultId, ...part }: { readonly vaultId: string; readonly after?: string | undefined; readonly limit: number },
): Promise<Statement> {
  const vault = await requireReadableVault(context.db, caller, vaultId);
  const addresses = ownAddresses(vault, context.networkId);
  const { policyId, ftUnit } = vault;
  const policies = ftUnit === null ? [policyId] : [policyId, policyOf(ftUnit)];
  return { ...(await readStatement(context.db, addresses, { ...part, policies })), own: addresses.own };
}

/** An output that the ledger holds at an address of a vault, and why. */
export interface ResidualOutput extends ListedHeldOutput {
  readonly reason: ResidualReason;
}

interface ResidualOutputFilter {
  readonly vaultId: string;
  readonly place?: VaultAddressKind | undefined;
}

/** A page of what the ledger holds at the addresses of a vault that the caller may read. */
export async function listResidualOutputs(
  context: Pick<ServiceContext, 'db' | 'networkId'>,
  caller: Caller,
  { vaultId, place }: ResidualOutputFilter,
  page: Page<'heldSince' | 'lovelace'>,
): Promise<{ residualOutputs: ResidualOutput[]; count: PageCount }> {
  const vault = await requireReadableVault(context.db, caller, vaultId);
  const filter = { ...ownAddresses(vault, context.networkId), place };
  const { outputs, count, pot } = await listHeldOutputs(context.db, filter, page);
  const holder = { ...vault, isPotKept: pot !== null && isPotKept(pot) };
  const residualOutputs = outputs.map((output) => {
    return { ...output, reason: residualReason({ ...output, units: [...output.utxo.assets.keys()] }, holder) };
  });
  return { residualOutputs, count };
}

/** The addresses that a vault itself has, without those of its depositors and stakers. */
export function ownAddresses(vault: Vault, networkId: NetworkId): OwnAddresses {
  return { vaultId: vault.id, own: vaultAddresses(vault, { depositors: [], stakeAddresses: [] }, networkId) };
}
