import { z } from 'zod';
import { fieldError, ServiceError } from '../../platform/errors/errors.ts';
import type { BaseUnits } from '../../platform/units/money.ts';
import { parseTokenAmount } from '../../platform/units/token-amount.ts';
import { parseDecision } from '../rules/vote.ts';
import { actorOf } from '../../access/actor.ts';
import { isReadable } from '../../vaults/vault-access.ts';
import { verifyVoteSignature } from '../../cardano/keys/vote-signature.ts';
import { route } from '../../api-context.ts';
import { requiredWalletText } from '../../platform/http/descriptions.ts';
import { exampleWallet } from '../../transactions/routes/example-wallet.ts';
import { parsed, ResourceId } from '../../platform/http/fields.ts';
import { VoteRecorded } from './recorded-response.ts';
import { CastVote } from './request.ts';

export const castVoteRoute = route({
  method: 'post',
  path: '/proposals/:proposalId/votes',
  operationId: 'castVote',
  recordedTogether: true,
  specified: true,
  summary: 'Vote on a proposal with staked tokens; a further vote replaces the earlier one',
  description:
    'Only stakes that were final before voting opened can vote (`GET ' +
    '/api/v1/wallets/{address}/voting-power?proposalId=`). A wallet has one vote on a proposal; it can replace the vote ' +
    'until voting closes, and change its votes a limited number of times within a day. `staked_ft_amount` is in whole tokens and at most the voting power of the wallet. ' +
    requiredWalletText('wallet_address'),
  success: 'The vote is recorded and counts; `proof` is the path of its inclusion proof once its anchor is built',
  examples: {
    yes: { voter: { wallet_address: exampleWallet, staked_ft_amount: 2500 }, vote: 'yes' },
    reject: { voter: { wallet_address: exampleWallet, staked_ft_amount: '2500.000001' }, vote: 'reject' },
  },
  permission: { resource: 'vote', action: 'CREATE' },
  params: z.strictObject({ proposalId: ResourceId }),
  body: CastVote,
  responses: { 200: VoteRecorded },
  errors: [
    'PROPOSAL_NOT_FOUND',
    'VOTING_NOT_OPEN',
    'VOTING_CLOSED',
    'NOT_STAKED_AT_SNAPSHOT',
    'INSUFFICIENT_VOTING_POWER',
    'VOTE_NONCE_USED',
    'FREE_ACTIONS_USED_UP',
    'INVALID_QUANTITY',
    'INVALID_SIGNATURE',
    'INVALID_ADDRESS',
    'WRONG_NETWORK',
    'INSUFFICIENT_PERMISSIONS',
    'SERVICE_NOT_READY',
  ],
  errorFields: {
    NOT_STAKED_AT_SNAPSHOT: 'voter.wallet_address',
    INSUFFICIENT_VOTING_POWER: 'voter.staked_ft_amount',
    VOTE_NONCE_USED: 'nonce',
    INVALID_SIGNATURE: 'signature',
  },
  async handle({ params: { proposalId }, body, caller, correlationId, idempotency }, context) {
    const voter = await actorOf(context, caller, body.voter.wallet_address, 'voter.wallet_address');
    const { voteBatcher } = context;
    const votedOn = await voteBatcher.votedOn(proposalId);
    if (!votedOn || !(await isReadable(context.db, caller, votedOn.vault)))
      throw new ServiceError('PROPOSAL_NOT_FOUND');
    const { vault, votingEndsAt } = votedOn;
    const amount = parseVoteAmount(body.voter.staked_ft_amount, vault.terms.ftDecimals);
    const vote = { proposalId, vaultId: vault.id, voter, decision: parsed(parseDecision(body.vote)), amount };
    const input = { ...vote, signed: verifyVoteSignature(body, vote, context), caller, correlationId };
    const sent = { vote: body.vote, amount: body.voter.staked_ft_amount };
    return voteBatcher.cast({ input, votingEndsAt, sent, idempotency });
  },
});

/** Whole tokens as base units. Throws INVALID_QUANTITY. */
function parseVoteAmount(wholeTokens: string | number, decimals: number): BaseUnits {
  const amount = parseTokenAmount(wholeTokens, decimals);
  if (amount !== undefined && amount !== 0n) return amount;
  throw fieldError('INVALID_QUANTITY', 'voter.staked_ft_amount', `More than 0, with at most ${decimals} decimals`);
}
