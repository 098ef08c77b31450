import { z } from 'zod';
import { parseWalletAddress } from '../../../cardano/scripts/address.ts';
import { vaultStatuses } from '../../../vaults/rules/vault.ts';
import { vaultTypes } from '../../../types/rules/vault-type.ts';
import { isoText } from '../../../platform/units/instant.ts';
import { readableStatuses, readerScope } from '../../../vaults/vault-access.ts';
import { listWalletVaults, type WalletVault } from '../../../vaults/queries/wallet-vaults.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { route } from '../../../api-context.ts';
import { EnvelopedPage, envelopedPage } from '../../../platform/http/envelope.ts';
import {
  AddressText,
  AmountText,
  BaseUnitsText,
  CaseInsensitive,
  Timestamp,
  TypeFilter,
} from '../../../platform/http/fields.ts';
import { pageOf, pageQuery, paginationOf } from '../../../platform/http/paging.ts';
import { wholeTokens } from '../../../staking/routes/response.ts';
import { VaultStatusEnum, VaultTypeName } from '../../../vaults/routes/enums.ts';

const roles = ['admin', 'contributor', 'investor', 'staker'] as const;

const WalletVaultResource = z
  .object({
    vaultId: z.uuid(),
    name: z.string(),
    type: VaultTypeName,
    status: VaultStatusEnum,
    createdAt: Timestamp,
    roles: z.array(z.enum(roles).describe('What the wallet is, or has been, in the vault')),
    deposits: z.object({
      assets: z.int().describe('Assets in the vault that the wallet added'),
      investedLovelace: AmountText.describe('Lovelace that it invested and that are not back'),
      staked: z.number().describe('Whole tokens that it has staked, rounded'),
      stakedBaseUnits: BaseUnitsText,
    }),
  })
  .meta({ id: 'WalletVault' });

export const listWalletVaultsRoute = route({
  method: 'get',
  path: '/wallets/:address/vaults',
  operationId: 'listWalletVaults',
  summary: 'List the vaults that a wallet administers, or has a deposit or a stake in',
  description:
    'Newest vault first. Lists the vaults that the caller may read, with what the wallet has in each. A role stays when everything ' +
    'is back with the wallet.',
  success: 'A page of vaults',
  permission: { resource: 'vault', action: 'READ', attributes: 'per row' },
  params: z.strictObject({ address: AddressText }),
  query: z.strictObject({
    ...pageQuery(['createdAt', 'updatedAt', 'name', 'status']),
    status: CaseInsensitive(vaultStatuses).optional(),
    type: TypeFilter(vaultTypes),
  }),
  responses: {
    200: EnvelopedPage(z.object({ walletAddress: z.string(), vaults: z.array(WalletVaultResource) })),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ params, query, caller }, api) {
    const { address: wallet } = parseWalletAddress(params.address, api.networkId, 'address');
    const { status, type } = query;
    const statuses = readableStatuses(caller).filter((readable) => status === undefined || readable === status);
    const filter = { wallet, readerScope: readerScope(caller), statuses, type };
    const { vaults, count } = await listWalletVaults(api.db, filter, pageOf(query, 'createdAt:desc'));
    const data = { walletAddress: wallet, vaults: vaults.map(presentWalletVault) };
    return ok(envelopedPage(data, paginationOf(query, count), await api.readingTime()));
  },
});

function presentWalletVault(vault: WalletVault): z.input<typeof WalletVaultResource> {
  const { id, name, type, status, createdAt, assets, invested, staked, ftDecimals } = vault;
  const isIn = {
    admin: vault.isAdmin,
    contributor: vault.hasContributed,
    investor: vault.hasInvested,
    staker: vault.hasStaked,
  };
  return {
    vaultId: id,
    name,
    type,
    status,
    createdAt: isoText(createdAt),
    roles: roles.filter((role) => isIn[role]),
    deposits: {
      assets,
      investedLovelace: invested.toString(),
      staked: wholeTokens(staked, ftDecimals),
      stakedBaseUnits: staked.toString(),
    },
  };
}
