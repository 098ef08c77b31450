import { z } from 'zod';
import { parseWalletAddress } from '../../chain/scripts/address.ts';
import { isoText } from '../../domain/units/instant.ts';
import { baseUnits } from '../../domain/units/money.ts';
import type { Db } from '../../store/database.ts';
import type { Proposal } from '../../store/proposals.ts';
import { listPowers, type PowerFilter, type VaultPower } from '../../store/wallet-powers.ts';
import type { Vault } from '../../store/vaults.ts';
import { ok } from '../server/answer.ts';
import { route } from '../server/context.ts';
import { EnvelopedPage, envelopedPage } from '../server/envelope.ts';
import { AddressText, BaseUnitsText, ResourceId, Timestamp } from '../server/fields.ts';
import { powerExample } from '../proposals/examples.ts';
import { pageOf, pageQuery, paginationOf } from '../server/paging.ts';
import { walletParticipation, requireReadableProposal } from '../../services/proposals/read-proposals.ts';
import { wholeTokens } from '../stakes/response.ts';
import { readerScope } from '../../services/vaults/vault-access.ts';
import { presentVote, VoteResource } from '../votes/response.ts';

const VotingPower = z
  .object({
    vaultId: z.uuid(),
    staked: z.number().describe('Whole tokens in their script, or on the way to it'),
    stakedBaseUnits: BaseUnitsText,
    votingPower: z
      .number()
      .describe('Whole tokens that count: final ones; in a proposal those that were final before its vote opened'),
    votingPowerBaseUnits: BaseUnitsText,
    usedPower: z.number().describe('Whole tokens that unfinished votes use; in a proposal what its vote there uses'),
    usedPowerBaseUnits: BaseUnitsText,
  })
  .meta({ id: 'VotingPower', examples: [powerExample] });

/** `votingPower` is what counts in this proposal, `usedPower` what the wallet's vote uses of it. */
const ProposalPower = VotingPower.extend({
  proposalId: z.uuid(),
  votingStartedAt: Timestamp.nullable().describe(
    'Stakes that were final before count; null until voting opens, and nothing counts before',
  ),
  vote: VoteResource.nullable().describe('Its vote that counts; null when there is none'),
}).meta({ id: 'ProposalPower' });

const { page, limit } = pageQuery(['vaultId']);

export const getVotingPower = route({
  method: 'get',
  path: '/wallets/:address/voting-power',
  operationId: 'readVotingPower',
  summary: 'What a wallet has staked in each vault and how much of it counts and is used; also in one proposal',
  description:
    '`votingPower` is what counts: final stakes, and in a proposal those that were final before its vote opened; ' +
    '`usedPower` what votes use of it.',
  permission: { resource: 'stake', action: 'READ' },
  params: z.strictObject({ address: AddressText }),
  query: z.strictObject({ page, limit, proposalId: ResourceId.optional() }),
  responses: {
    200: EnvelopedPage(
      z.object({
        walletAddress: z.string(),
        powers: z.array(VotingPower),
        inProposal: ProposalPower.describe(
          'When `proposalId` is given; `powers` is then of its vault alone',
        ).optional(),
      }),
    ),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK', 'PROPOSAL_NOT_FOUND'],
  async handle({ params, query, caller }, context) {
    const { db, networkId, readingTime } = context;
    const { address: wallet } = parseWalletAddress(params.address, networkId, 'address');
    const inVault = { wallet, listener: readerScope(caller) };
    const asked =
      query.proposalId === undefined ? null : await requireReadableProposal(context, caller, query.proposalId);
    const filter = asked ? { ...inVault, vaultId: asked.vault.id } : inVault;
    const { powers, total } = await listPowers(db, filter, pageOf(query, 'vaultId:asc'));
    const data = {
      walletAddress: wallet,
      powers: powers.map(presentPower),
      ...(asked && { inProposal: await powerInProposal(db, asked, filter) }),
    };
    return ok(envelopedPage(data, paginationOf(query, total), await readingTime()));
  },
});

async function powerInProposal(db: Db, { proposal, vault }: { proposal: Proposal; vault: Vault }, filter: PowerFilter) {
  const { id: vaultId, terms } = vault;
  const { power: votingPower, vote, carried } = await walletParticipation(db, proposal, filter.wallet);
  const [inVault] = (await listPowers(db, filter, { limit: 1, offset: 0 })).powers;
  const staked = inVault?.staked ?? baseUnits(0n);
  const usedPower = vote?.amount ?? baseUnits(0n);
  const { ftDecimals } = terms;
  return {
    ...presentPower({ vaultId, ftDecimals, staked, votingPower, usedPower }),
    proposalId: proposal.id,
    votingStartedAt: proposal.phases && isoText(proposal.phases.voting.startsAt),
    vote: vote && presentVote({ vote, carried, decimals: ftDecimals }),
  };
}

function presentPower({ vaultId, ftDecimals, staked, votingPower, usedPower }: VaultPower) {
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
