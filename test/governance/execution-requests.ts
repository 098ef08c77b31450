import { expect } from '@jest/globals';
import { type Person, person } from '../vault-lifecycle/participants.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { voteBody } from './staked-vault.ts';
import { seedStakes } from './seed-stakes.ts';
import { settledVault } from './settled-vault.ts';
import { stakeOnLedger } from './stake-on-ledger.ts';

const DAY = 86_400;

/** The fields of a proposal that execution tests read. */
export interface ProposalRead {
  readonly status: string;
  readonly phase: string;
  readonly failureReason: string | null;
  readonly allowedActions: readonly { readonly action: string; readonly allowed: boolean; readonly reason?: string }[];
  readonly execution: {
    readonly status: string;
    readonly reason: string | null;
    readonly transaction: { readonly hash: string; readonly status: string; readonly unsignedTx?: string };
    readonly multiSignature: {
      readonly keys: readonly {
        readonly keyHash: string;
        readonly wallet: string | null;
        readonly isPlatform: boolean;
        readonly hasSigned: boolean;
      }[];
    };
  } | null;
  readonly result?: {
    readonly outcome: string;
    readonly transactionHash: string | null;
    readonly executedBy: string | null;
    readonly executedAt: string | null;
    readonly cause: string | null;
  };
}

/** The response of `execute`: the body of the specification or the error. */
export interface ExecuteAnswer {
  readonly proposal_id: string;
  readonly transaction: { readonly tx_hash: string };
  readonly error: {
    readonly code: string;
    readonly details: {
      readonly missing: number;
      readonly missingSigners: readonly string[];
      readonly transaction: { readonly tx_hash: string; readonly unsigned_tx: string };
    };
  };
}

/**
 * A settled vault that holds the NFT Villa; its contributor and its investor have staked enough to cosign: for the service, and with `onLedger` for
 * the worker, too.
 */
export async function governedVault(
  stack: TestStack,
  first: number,
  { onLedger = true, ...options }: Parameters<typeof settledVault>[2] & { readonly onLedger?: boolean } = {},
) {
  const [contributor, investor, partner] = [person(first), person(first + 1), person(first + 2)];
  const { id: vaultId, contractAddress } = await settledVault(stack, { contributor, investor }, options);
  const [villa] = await stack.sql.run<{ policy_id: string; id: string }>`select id, policy_id from assets
      where vault_id = ${vaultId}`;
  if (!villa) throw new Error('the vault holds nothing');
  const stakes = [
    { wallet: contributor.address, tokens: 600_000 },
    { wallet: investor.address, tokens: 300_000 },
    { wallet: person(first + 3).address, tokens: 1 },
  ];
  await seedStakes(stack.sql, vaultId, stakes, new Date());
  if (onLedger) await stakeOnLedger(stack, vaultId, [contributor, investor], contributor);
  const custody = contractAddress;
  const unit = villa.policy_id + Buffer.from('Villa').toString('hex');
  return { vaultId, custody, villa: { id: villa.id, policyId: villa.policy_id, unit }, contributor, investor, partner };
}

export type GovernedVault = Awaited<ReturnType<typeof governedVault>>;

interface ProposalOptions {
  readonly details: object;
  readonly required?: number;
  readonly voting?: string;
}

/** A proposal of the contributor that everybody has voted for and whose execution phase has just begun. */
export async function passedProposal(
  stack: TestStack,
  { vaultId, contributor, investor }: GovernedVault,
  { details, required = 2, voting = '24h' }: ProposalOptions,
): Promise<string> {
  const answer = await stack.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    proposer: contributor.address,
    proposal_details: { title: 'A plan', description: 'Do it', ...details },
    governance_thresholds: { required_cosigners: required },
    phases: { voting_duration: voting, lock_duration: '24h', execution_duration: '48h' },
  });
  expect(answer).toMatchObject({ status: 201 });
  const { proposal_id: id } = answer.body;
  for (const [{ address }, tokens] of [[contributor, 600_000] as const, [investor, 300_000] as const]) {
    expect(await stack.api.post(`/proposals/${id}/votes`, voteBody(address, tokens, 'yes'))).toMatchObject({
      status: 200,
    });
  }
  await advance(stack, Number(voting.slice(0, -1)) * 3600 + DAY);
  expect(await readProposal(stack, id)).toMatchObject({ status: 'PASSED', phase: 'execution' });
  return id;
}

export async function readProposal({ api }: Pick<TestStack, 'api'>, id: string): Promise<ProposalRead> {
  return (await api.get<{ data: ProposalRead }>(`/proposals/${id}`)).body.data;
}

/** The request body of `execute` and `executions`. */
export const executeBody = (executor: Person, cosigners: readonly Person[], action: object) => ({
  executing_user: executor.address,
  cosigners: cosigners.map(({ address }) => address),
  action,
});

export const execute = ({ api }: Pick<TestStack, 'api'>, id: string, body: object) =>
  api.post<ExecuteAnswer>(`/proposals/${id}/execute`, body);

/** Freezes an execution and adds the witnesses of these signers. */
export async function freezeAndSign(stack: TestStack, id: string, body: object, signers: readonly Person[]) {
  const { status, body: refused } = await execute(stack, id, body);
  expect({ status, refused }).toMatchObject({ status: 403, refused: { error: { code: 'INSUFFICIENT_SIGNATURES' } } });
  const { tx_hash: hash, unsigned_tx: unsigned } = refused.error.details.transaction;
  for (const signer of signers) {
    const witness = { witnessSet: signer.sign(unsigned) };
    expect(await stack.api.post(`/transactions/${hash}/witnesses`, witness)).toMatchObject({ status: 200 });
  }
  return { hash, unsigned };
}

/** Waits until a proposal has the wanted values and returns it. */
export const waitForProposal = (stack: TestStack, id: string, wanted: Partial<ProposalRead>) =>
  until(
    async () => {
      const read = await readProposal(stack, id);
      return Object.entries(wanted).every(([name, value]) => read[name as keyof ProposalRead] === value) && read;
    },
    { what: `proposal ${id} to be ${JSON.stringify(wanted)}` },
  );
