import { z } from 'zod';
import { MAX_TRANSACTIONS, readVault, type VaultDetail } from '../../services/vaults/read-vault.ts';
import { vaultAttributes } from '../../services/vaults/vault-access.ts';
import { ok } from '../server/route-response.ts';
import { route } from '../server/context.ts';
import { Enveloped, enveloped } from '../server/envelope.ts';
import { ResourceId } from '../server/fields.ts';
import { presentSettlement, SettlementPlan } from '../settlements/response.ts';
import { presentTransactionSummary, TransactionSummary } from '../transactions/resource.ts';
import { VaultResource } from './resource.ts';
import { presentVault } from './response.ts';

const VaultDetailResource = VaultResource.extend({
  settlement: SettlementPlan.nullable().describe(
    '`null` until the settlement is planned, and if the vault failed before',
  ),
  transactions: z
    .array(TransactionSummary)
    .describe(
      `The transactions of the vault except anchors, oldest first. If there are more than ${MAX_TRANSACTIONS}, the ` +
        'oldest ones that wallets sign are left out',
    ),
  adminEmail: z
    .string()
    .nullable()
    .describe('Present only for the role ADMIN; `null` if the creator gave no email')
    .optional(),
}).meta({ id: 'VaultDetail' });

export const getVaultRoute = route({
  method: 'get',
  path: '/vaults/:vaultId',
  operationId: 'readVault',
  summary: 'Read a vault: its terms, state, allowed actions, settlement and transactions',
  description:
    '`allowedActions` says for each action whether it is open now, and otherwise the error code that it would be ' +
    'refused with. `overdueSeconds` says how late a due change is, and `holds` what delays it.',
  permission: { resource: 'vault', action: 'READ', attributes: vaultAttributes },
  params: z.strictObject({ vaultId: ResourceId }),
  responses: { 200: Enveloped(VaultDetailResource) },
  errors: ['VAULT_NOT_FOUND'],
  async handle({ params, caller }, context) {
    const detail = await readVault(context, caller, params.vaultId);
    return ok(enveloped(presentVaultDetail(detail), detail.view.now));
  },
});

function presentVaultDetail({ view, settlement, transactions, adminEmail }: VaultDetail) {
  return {
    ...presentVault(view),
    settlement: settlement && presentSettlement(settlement),
    transactions: transactions.map(presentTransactionSummary),
    ...(adminEmail !== undefined && { adminEmail }),
  };
}
