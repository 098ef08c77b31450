import { parseWalletAddress } from '../../cardano/scripts/address.ts';
import { fieldError } from '../../platform/errors/errors.ts';
import type { Topic } from '../rules/topic.ts';
import { type Caller, mayActForAnyWallet, requireMayActFor } from '../../access/rules/caller.ts';
import { checkPermission } from '../../platform/http/check-permission.ts';
import type { ServiceContext } from '../../context.ts';
import { AddressText, ResourceId } from '../../platform/http/fields.ts';
import { requireReadableProposal } from '../../proposals/readable-proposal.ts';
import { requireReadableVault, vaultAttributes } from '../../vaults/vault-access.ts';
import type { Db } from '../../platform/database/database.ts';

/** What is followed: exactly one field, or none for everything. */
export const TopicFields = {
  vaultId: ResourceId.describe('Events of this vault').optional(),
  proposalId: ResourceId.describe('Events of this proposal').optional(),
  wallet: AddressText.describe(
    'Events of what this wallet did or has a part in, in all vaults; with its session, or with wallet:UPDATE',
  ).optional(),
};

/** The fields of a request that name a topic. */
interface TopicRequest {
  readonly vaultId?: string | undefined;
  readonly proposalId?: string | undefined;
  readonly wallet?: string | undefined;
}

/** The topic that the fields name. Throws INVALID_REQUEST when they name several, INVALID_ADDRESS, WRONG_NETWORK. */
export function topicOf(fields: TopicRequest, { networkId }: Pick<ServiceContext, 'networkId'>): Topic {
  const { vaultId, proposalId, wallet } = fields;
  const named = Object.entries({ vaultId, proposalId, wallet }).filter(([, value]) => value !== undefined);
  const second = named[1];
  if (second) throw fieldError('INVALID_REQUEST', second[0], 'Name one of vaultId, proposalId and wallet');
  if (vaultId !== undefined) return { kind: 'vault', id: vaultId.toLowerCase() };
  if (proposalId !== undefined) return { kind: 'proposal', id: proposalId.toLowerCase() };
  if (wallet !== undefined) return { kind: 'wallet', id: parseWalletAddress(wallet, networkId, 'wallet').address };
  return { kind: 'all' };
}

/**
 * The vault whose readers may follow the topic; null for a wallet and for everything. Throws INSUFFICIENT_PERMISSIONS,
 * VAULT_NOT_FOUND and PROPOSAL_NOT_FOUND, as a read of what the topic names would.
 */
export async function requireMayFollow(db: Db, caller: Caller, topic: Topic): Promise<string | null> {
  await requireTopicPermission(db, caller, topic);
  switch (topic.kind) {
    case 'vault':
      return (await requireReadableVault({ db }, caller, topic.id)).id;
    case 'proposal':
      return (await requireReadableProposal({ db }, caller, topic.id)).vault.id;
    case 'wallet':
    case 'all':
      return null;
  }
}

/** As `requireMayFollow`, without finding out whether the caller may read what the topic names. */
export async function requireTopicPermission(db: Db, caller: Caller, topic: Topic): Promise<void> {
  const vaultRule = { resource: 'vault', action: 'READ', attributes: vaultAttributes } as const;
  switch (topic.kind) {
    case 'vault':
      await checkPermission(vaultRule, caller, () => ({ vaultId: topic.id }), { db });
      break;
    case 'proposal':
      await checkPermission({ resource: 'proposal', action: 'READ' }, caller, () => null, { db });
      break;
    case 'wallet':
      requireMayActFor(caller, topic.id);
      break;
    case 'all':
      if (!mayActForAnyWallet(caller))
        throw fieldError('INVALID_REQUEST', 'vaultId', 'Name a vaultId, a proposalId or a wallet');
  }
}
