import { voteBody } from '../governance/staked-vault.ts';
import { type Person, submitWitnesses, type UnsignedTransaction } from '../vault-lifecycle/participants.ts';
import { stakeOf } from './shares.ts';
import type { Life, LifeStack } from './vault-life.ts';

// What the people of a life ask for. Each request succeeds: the stack is one that insists.

interface Started {
  readonly data: { readonly id: string; readonly transaction: UnsignedTransaction };
}

const PHASES = { voting_duration: '24h', lock_duration: '24h', execution_duration: '48h' };

export function expectStatus<Body>({ status, body }: { status: number; body: Body }, expected: number): Body {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`);
  return body;
}

export async function stake(stack: LifeStack, { vaultId }: Life, owner: Person, amount: number): Promise<void> {
  const answer = await stack.api.post<Started>(`/vaults/${vaultId}/stakes`, { walletAddress: owner.address, amount });
  await submitWitnesses(stack, owner, expectStatus(answer, 201).data.transaction);
}

export async function unstake(stack: LifeStack, owner: Person, stakeId: string): Promise<void> {
  const answer = await stack.api.del<Started>(`/stakes/${stakeId}`);
  await submitWitnesses(stack, owner, expectStatus(answer, 200).data.transaction);
}

/** Claims for so many whole tokens, or for all that the holder has. */
export async function claim(stack: LifeStack, { vaultId }: Life, holder: Person, amount?: number): Promise<void> {
  const body = { walletAddress: holder.address, ...(amount !== undefined && { amount }) };
  const answer = await stack.api.post<Started>(`/vaults/${vaultId}/claims`, body);
  await submitWitnesses(stack, holder, expectStatus(answer, 201).data.transaction);
}

/** Who cosigns executions: as many registered cosigners as have to, or both stakers. */
function signersOf(life: Life): readonly Person[] {
  const { cosigners, traits } = life;
  return cosigners.length > 0
    ? cosigners.slice(0, traits.requiredCosigners)
    : stakersOf(life).map(({ person }) => person);
}

/** Proposes and lets both stakers vote for it. */
export async function propose(stack: LifeStack, life: Life, details: object): Promise<void> {
  const { vaultId, contributors, traits } = life;
  const answer = await stack.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    proposer: contributors[0].address,
    proposal_details: { title: 'A plan', description: 'Do it', ...details },
    governance_thresholds: { required_cosigners: signersOf(life).length },
    phases: PHASES,
  });
  const { proposal_id: id } = expectStatus(answer, 201);
  for (const { person, holder } of stakersOf(life)) {
    const vote = voteBody(person.address, stakeOf(traits, holder), 'yes');
    expectStatus(await stack.api.post(`/proposals/${id}/votes`, vote), 200);
  }
}

/** Who stakes and votes, with their numbers among the holders. */
export function stakersOf({ contributors, investors }: Life) {
  return [
    { person: contributors[0], holder: 0 },
    { person: investors[0], holder: contributors.length },
  ];
}

interface Execution {
  readonly executor: Person;
  readonly action: object;
  /** Whose signatures it needs beside those of the cosigners. */
  readonly signers?: readonly Person[];
}

/** Executes the newest proposal of a vault, with the signatures of its cosigners. */
export async function execute(stack: LifeStack, life: Life, { executor, action, signers = [] }: Execution) {
  const cosigners = life.cosigners.length > 0 ? life.cosigners : signersOf(life);
  const newest = 'select id from proposals where vault_id = $1 order by created_at desc limit 1';
  const { rows } = await stack.sql.query<{ id: string }>(newest, [life.vaultId]);
  const path = `/proposals/${rows[0]?.id ?? ''}`;
  const body = { executing_user: executor.address, cosigners: cosigners.map(({ address }) => address), action };
  const frozen = await stack.api.post<Started>(`${path}/executions`, body);
  const { transaction } = expectStatus(frozen, 201).data;
  for (const signer of [...signersOf(life), ...signers]) await submitWitnesses(stack, signer, transaction);
  expectStatus(await stack.api.post(`${path}/execute`, body), 200);
}
