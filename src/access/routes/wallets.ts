import { z } from 'zod';
import { changeWalletRoles } from '../change-wallet-roles.ts';
import { findWalletRoles } from '../queries/wallet-roles.ts';
import { RoleEnum } from './api-keys.ts';
import { walletRoles } from '../rules.ts';
import { route, type ApiContext } from '../../api-context.ts';
import { parseWalletAddress } from '../../cardano/scripts/address.ts';
import {
  EnvelopedPage,
  envelopedPage,
  Enveloped,
  enveloped,
  pageOf,
  pageQuery,
  paginationOf,
} from '../../platform/http/envelope.ts';
import {
  BaseUnitsText,
  Timestamp,
  AddressText,
  AmountText,
  CaseInsensitive,
  TypeFilter,
  ResourceId,
} from '../../platform/http/fields.ts';
import { ok } from '../../platform/http/route.ts';
import { runOnce } from '../../platform/http/run-once.ts';
import { isoText } from '../../platform/units/time.ts';
import type { ProposalPower, VaultPower } from '../../proposals/queries/participation.ts';
import { wholeTokens } from '../../staking/schemas.ts';
import { exampleWallet } from '../../transactions/routes/examples.ts';
import { vaultTypes } from '../../types/rules.ts';
import { listWalletVaults, type WalletVault } from '../../vaults/queries/wallet-vaults.ts';
import { VaultStatusEnum, VaultTypeName } from '../../vaults/routes/enums.ts';
import { vaultStatuses } from '../../vaults/rules/vault.ts';
import { readableStatuses, readerScope } from '../../vaults/require-vault.ts';
import { readVotingPower } from '../../votes/read-votes.ts';
import { presentVote, VoteResource } from '../../votes/schemas.ts';

// Recorded on a development stack.

const powerExample = {
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  staked: 271428.571429,
  stakedBaseUnits: '271428571429',
  votingPower: 271428.571429,
  votingPowerBaseUnits: '271428571429',
  usedPower: 271428.571429,
  usedPowerBaseUnits: '271428571429',
};

const VotingPowerResource = z
  .object({
    vaultId: z.uuid(),
    staked: z.number().describe('Whole tokens staked, including stakes that are on their way to the stake script.'),
    stakedBaseUnits: BaseUnitsText,
    votingPower: z
      .number()
      .describe(
        'Whole tokens that can vote: final stakes. With `proposalId`: stakes that were final when its voting opened.',
      ),
    votingPowerBaseUnits: BaseUnitsText,
    usedPower: z
      .number()
      .describe(
        "Whole tokens used by votes on unfinished proposals. With `proposalId`: used by the wallet's vote there.",
      ),
    usedPowerBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'VotingPower', examples: [powerExample] });

/** Voting power within one proposal. */
const ProposalPowerResource = VotingPowerResource.extend({
  proposalId: z.uuid(),
  votingStartedAt: Timestamp.nullable().describe(
    'Stakes that were final before this time can vote. `null` until voting opens. Until then, no stake can vote.',
  ),
  vote: VoteResource.nullable().describe('Current vote of the wallet, otherwise `null`.'),
}).meta({ id: 'ProposalPower' });

function presentPower({
  vaultId,
  ftDecimals,
  staked,
  votingPower,
  usedPower,
}: VaultPower): z.input<typeof VotingPowerResource> {
  return {
    vaultId,
    staked: wholeTokens(staked, ftDecimals),
    stakedBaseUnits: staked.toString(),
    votingPower: wholeTokens(votingPower, ftDecimals),
    votingPowerBaseUnits: votingPower.toString(),
    usedPower: wholeTokens(usedPower, ftDecimals),
    usedPowerBaseUnits: usedPower.toString(),
  };
}

function presentProposalPower({ proposalId, votingStartsAt, power, vote }: ProposalPower) {
  return {
    ...presentPower(power),
    proposalId,
    votingStartedAt: votingStartsAt === null ? null : isoText(votingStartsAt),
    vote: vote && presentVote(vote),
  };
}

const roles = ['admin', 'contributor', 'investor', 'staker'] as const;

const WalletVaultResource = z
  .object({
    vaultId: z.uuid(),
    name: z.string(),
    type: VaultTypeName,
    status: VaultStatusEnum,
    createdAt: Timestamp,
    roles: z.array(z.enum(roles).describe('Current and former roles of the wallet in the vault.')),
    deposits: z.object({
      assets: z.int().describe('Number of assets that the wallet added and that are in the vault.'),
      investedLovelace: AmountText.describe('Lovelace that it invested and that was not returned.'),
      staked: z.number().describe('Whole tokens that it has staked, rounded.'),
      stakedBaseUnits: BaseUnitsText,
    }),
  })
  .meta({ id: 'WalletVault' });

export const listWalletVaultsRoute = route({
  method: 'get',
  path: '/wallets/:address/vaults',
  operationId: 'listWalletVaults',
  summary: 'List the vaults of a wallet',
  description:
    'Lists vaults that the wallet administers, or that hold a deposit or a stake of the wallet, newest first. ' +
    'Includes only vaults that you may read. A role remains after everything was returned to the wallet.',
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

const WalletRoles = z
  .object({
    walletAddress: z.string(),
    roles: z.array(RoleEnum).describe('Roles that were given to the wallet.'),
    effectiveRoles: z
      .array(RoleEnum)
      .describe('Roles of its sessions: given roles, PARTICIPANT, and roles that this deployment gives every wallet.'),
  })
  .meta({
    id: 'WalletRoles',
    examples: [
      { walletAddress: exampleWallet, roles: ['VAULT_CREATOR'], effectiveRoles: ['PARTICIPANT', 'VAULT_CREATOR'] },
    ],
  });

const walletParams = z.strictObject({ address: AddressText });

export const readWalletRolesRoute = route({
  method: 'get',
  path: '/wallets/:address/roles',
  operationId: 'readWalletRoles',
  summary: 'Get the roles of a wallet',
  description: 'Sessions of the wallet have these roles, in addition to the permissions of the API key.',
  permission: { resource: 'role', action: 'READ' },
  params: walletParams,
  responses: { 200: Enveloped(WalletRoles) },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ params }, context) {
    const wallet = walletOf(params.address, context);
    return ok(presentRoles(context, wallet, await findWalletRoles(context.db, wallet)));
  },
});

export const replaceWalletRolesRoute = route({
  method: 'put',
  path: '/wallets/:address/roles',
  operationId: 'replaceWalletRoles',
  summary: 'Set the roles of a wallet',
  description:
    'Replaces the roles that were given to the wallet before. Its sessions have the new roles at once. You can ' +
    'give or remove only roles whose permissions you have yourself.',
  success: 'The roles of the wallet',
  permission: { resource: 'role', action: 'UPDATE' },
  params: walletParams,
  examples: { vaultCreator: { roles: ['VAULT_CREATOR'] } },
  body: z.strictObject({ roles: z.array(RoleEnum).max(10) }).meta({ id: 'ReplaceWalletRoles' }),
  responses: { 200: Enveloped(WalletRoles) },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ params, body, caller, idempotency }, context) {
    const wallet = walletOf(params.address, context);
    const roles = [...new Set(body.roles)];
    const response = await runOnce(context, idempotency, async (transaction) => {
      await changeWalletRoles(transaction, { wallet, roles, caller, now: context.wallClock.now() });
      return ok(presentRoles(context, wallet, roles));
    });
    context.authenticator.forget({ kind: 'wallet', wallet });
    return response;
  },
});

function walletOf(address: string, { networkId }: ApiContext): string {
  return parseWalletAddress(address, networkId, 'address').address;
}

function presentRoles({ authenticator, wallClock }: ApiContext, walletAddress: string, roles: readonly string[]) {
  const effectiveRoles = [...new Set([...walletRoles, ...authenticator.defaultWalletRoles, ...roles])];
  return enveloped({ walletAddress, roles, effectiveRoles }, wallClock.now());
}

export const getVotingPowerRoute = route({
  method: 'get',
  path: '/wallets/:address/voting-power',
  operationId: 'readVotingPower',
  summary: 'Get voting power of a wallet',
  description:
    'Returns the stakes and the voting power of a wallet by vault, newest vault first by default. `votingPower` ' +
    'counts final stakes. `usedPower` is the part that votes use.\n\n' +
    'With `proposalId`, it returns the voting power in that proposal: stakes that were final when voting opened.',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ address: AddressText }),
  query: z.strictObject({
    ...pageQuery(['createdAt']),
    proposalId: ResourceId.describe('Adds the voting power of the wallet in this proposal.').optional(),
  }),
  responses: {
    200: EnvelopedPage(
      z.object({
        walletAddress: z.string(),
        powers: z.array(VotingPowerResource),
        inProposal: ProposalPowerResource.optional().describe(
          'Only with `proposalId`. `powers` then contains only the vault of that proposal.',
        ),
      }),
    ),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK', 'PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { address: wallet } = parseWalletAddress(params.address, context.networkId, 'address');
    const { powers, count, inProposal } = await readVotingPower(context, caller, {
      wallet,
      proposalId: query.proposalId,
      page: pageOf(query, 'createdAt:desc'),
    });
    const data = {
      walletAddress: wallet,
      powers: powers.map(presentPower),
      ...(inProposal && { inProposal: presentProposalPower(inProposal) }),
    };
    return ok(envelopedPage(data, paginationOf(query, count), await context.readingTime()));
  },
});
