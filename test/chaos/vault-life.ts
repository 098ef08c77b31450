import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { voteBody } from '../governance/staked-vault.ts';
import {
  contribute,
  fundWallet,
  invest,
  type Person,
  person,
  submitWitnesses,
  type UnsignedTransaction,
} from '../vault-lifecycle/participants.ts';
import { createVault, readVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';

const DAY = 86_400;
/** From its settlement on: longer than the steps until the sale take. */
const LIFETIME = '06:00:00';

/** What a life needs of a stack. */
export type LifeStack = Pick<TestStack, 'api' | 'root' | 'ledger' | 'sql'>;

/** A vault whose people have what they will need, so that nothing else is sent to the ledger while it lives. */
export interface Cast {
  readonly contributor: Person;
  readonly investor: Person;
  readonly buyer: Person;
  readonly policyId: string;
  /** Names of its NFTs: one is sold, one is taken back. */
  readonly sold: string;
  readonly removed: string;
}

export interface Life extends Cast {
  readonly vaultId: string;
}

/** Funds three persons from this number on. No other vault of the stack may hold NFTs of this name. */
export async function cast(stack: Pick<TestStack, 'ledger'>, first: number, name: string): Promise<Cast> {
  const [contributor, investor, buyer] = [person(first), person(first + 1), person(first + 2)];
  const [sold, removed] = [`${name} sold`, `${name} kept`];
  const [policyId] = await Promise.all([
    fundWallet(stack, contributor, { ada: 500, assets: { [sold]: 1, [removed]: 1 } }),
    fundWallet(stack, investor, { ada: 1000 }),
    fundWallet(stack, buyer, { ada: 1000 }),
  ]);
  for (const asset of [sold, removed]) {
    const assetNameHex = Buffer.from(asset).toString('hex');
    await stack.ledger.setPrice({ policyId, assetNameHex, lovelace: '500000000' });
  }
  return { contributor, investor, buyer, policyId, sold, removed };
}

/** One step of a life: its people ask for something, or time passes; the ledger has it later. */
export interface Step {
  readonly name: string;
  /** Kinds of the transactions that it makes. */
  readonly kinds: readonly string[];
  readonly take?: (stack: LifeStack, life: Life) => Promise<void>;
  /** Seconds by which the clock of the stack moves, after `take`. */
  readonly advanceBy?: number;
  /** Whether the vault has done its part of the step. */
  readonly isDone?: (stack: LifeStack, life: Life) => Promise<boolean>;
}

/** Takes a step with several vaults of one stack at once: they share its clock. */
export async function takeStep(stack: LifeStack, lives: readonly Life[], step: Step): Promise<void> {
  const { name, take, advanceBy, isDone } = step;
  if (take) await Promise.all(lives.map((life) => take(stack, life)));
  if (advanceBy !== undefined) await advanceTo(stack, (await stack.ledger.clock()).nowMs + advanceBy * 1000);
  const areDone = async () =>
    (await Promise.all(lives.map(async (life) => (await isDone?.(stack, life)) ?? true))).every(Boolean);
  await until(areDone, { what: `${lives.length} vaults to be through step ${name}`, deadlineMs: 300_000 });
}

/** Creates the vault of a life and waits until it is open. */
export async function begin(stack: LifeStack, people: Cast): Promise<Life> {
  const vaultId = await createVault(stack, people.contributor.address, {
    asset: { asset_window_duration: '01:00:00' },
    investment: { investment_window_duration: '24h' },
    vault: { termination: { type: 'PROGRAMMED', duration: LIFETIME } },
  });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  return { ...people, vaultId };
}

interface Started {
  readonly data: { readonly id: string; readonly transaction: UnsignedTransaction };
}

async function stake(stack: LifeStack, { vaultId }: Life, owner: Person, amount: number): Promise<string> {
  const body = { walletAddress: owner.address, amount };
  const answer = await stack.api.post<Started>(`/vaults/${vaultId}/stakes`, body);
  const { id, transaction } = expectStatus(answer, 201).data;
  await submitWitnesses(stack, owner, transaction);
  return id;
}

async function unstake(stack: LifeStack, owner: Person, stakeId: string): Promise<void> {
  const answer = await stack.api.del<Started>(`/stakes/${stakeId}`);
  await submitWitnesses(stack, owner, expectStatus(answer, 200).data.transaction);
}

/** Waits until every transaction of the vault of these kinds has left the ledger's hands, all of them successfully. */
export async function untilFinal({ sql }: Pick<TestStack, 'sql'>, lives: readonly Life[]): Promise<void> {
  const open = `select kind, state from chain_transactions where vault_id = any($1) and kind <> 'anchor'
    and state not in ('final', 'expired', 'failed')`;
  await until(async () => (await sql.query(open, [lives.map(({ vaultId }) => vaultId)])).rows.length === 0, {
    what: `the transactions of the vaults to be final`,
    deadlineMs: 180_000,
  });
}

/** Moves the clock to an instant, however often the request is lost. */
async function advanceTo({ root, ledger }: LifeStack, targetMs: number): Promise<void> {
  await until(
    async () => {
      const { nowMs } = await ledger.clock();
      const seconds = Math.max(1, Math.ceil((targetMs - nowMs) / 1000));
      const { status, body } = await root.post('/dev/clock/advance', { seconds });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return true;
    },
    { what: `the clock to be at ${new Date(targetMs).toISOString()}`, deadlineMs: 300_000 },
  );
}

async function deposit(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, contributor, investor, policyId, sold } = life;
  await contribute(stack, vaultId, contributor, { policyId, name: sold });
  await invest(stack, vaultId, investor, 300_000_000);
}

async function depositMore(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, contributor, investor, policyId, removed } = life;
  await contribute(stack, vaultId, contributor, { policyId, name: removed });
  await invest(stack, vaultId, investor, 50_000_000);
}

async function takeBack(stack: LifeStack, { vaultId, removed }: Life): Promise<void> {
  const { rows } = await stack.sql.query<{ kind: string; id: string }>(
    `select 'assets' as kind, id from assets where vault_id = $1 and asset_name = $2
      union all select 'investments', id from investments where vault_id = $1 and lovelace = 50000000`,
    [vaultId, Buffer.from(removed).toString('hex')],
  );
  for (const { kind, id } of rows) expectStatus(await stack.api.del(`/vaults/${vaultId}/${kind}/${id}`), 200);
}

async function stakeAll(stack: LifeStack, life: Life): Promise<void> {
  await stake(stack, life, life.contributor, 300_000);
  await stake(stack, life, life.investor, 300_000);
}

async function unstakeOne(stack: LifeStack, { vaultId, investor }: Life): Promise<void> {
  const { rows } = await stack.sql.query<{ id: string }>(
    `select id from stakes where vault_id = $1 and amount = 1000000000 and status = 'ACTIVE'`,
    [vaultId],
  );
  await unstake(stack, investor, rows[0]?.id ?? '');
}

const PRICE = 600_000_000;

async function vote(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, contributor, investor, policyId, sold } = life;
  const answer = await stack.api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    proposer: contributor.address,
    proposal_details: {
      title: 'Sell it',
      description: 'For a good price',
      action_type: 'sell_asset',
      affected_assets: [{ policy_id: policyId, asset_name: sold }],
      terms: { price: PRICE },
    },
    governance_thresholds: { required_cosigners: 2 },
    phases: { voting_duration: '24h', lock_duration: '24h', execution_duration: '48h' },
  });
  const { proposal_id: id } = expectStatus(answer, 201);
  for (const { address } of [contributor, investor])
    expectStatus(await stack.api.post(`/proposals/${id}/votes`, voteBody(address, 300_000, 'yes')), 200);
}

async function sell(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, contributor, investor, buyer, policyId, sold } = life;
  const { rows } = await stack.sql.query<{ id: string }>('select id from proposals where vault_id = $1', [vaultId]);
  const proposalId = rows[0]?.id ?? '';
  const body = {
    executing_user: buyer.address,
    cosigners: [contributor.address, investor.address],
    action: { type: 'sell_asset', details: { policy_id: policyId, asset_name: sold, price: PRICE } },
  };
  const frozen = await stack.api.post<Started>(`/proposals/${proposalId}/executions`, body);
  const { transaction } = expectStatus(frozen, 201).data;
  for (const signer of [contributor, investor, buyer]) await submitWitnesses(stack, signer, transaction);
  expectStatus(await stack.api.post(`/proposals/${proposalId}/execute`, body), 200);
}

function hasStatus(status: string): Required<Step>['isDone'] {
  return async (stack, { vaultId }) => (await readVault(stack, vaultId)).status === status;
}

async function claimsAreOpen({ sql }: LifeStack, { vaultId }: Life): Promise<boolean> {
  const opened = 'select 1 from terminations where vault_id = $1 and claims_opened_at is not null';
  return (await sql.query(opened, [vaultId])).rows.length > 0;
}

async function unstakeAll(stack: LifeStack, { vaultId, contributor, investor }: Life): Promise<void> {
  const { rows } = await stack.sql.query<{ id: string; wallet: string }>(
    `select id, wallet from stakes where vault_id = $1 and status <> 'RELEASED'`,
    [vaultId],
  );
  for (const { id, wallet } of rows) await unstake(stack, wallet === contributor.address ? contributor : investor, id);
}

/** The claim of one holder takes more than half of the pot's outputs, so the next one waits for its change. */
function claimOf(holder: 'contributor' | 'investor'): Required<Step>['take'] {
  return async (stack, life) => {
    const body = { walletAddress: life[holder].address };
    const answer = await stack.api.post<Started>(`/vaults/${life.vaultId}/claims`, body);
    await submitWitnesses(stack, life[holder], expectStatus(answer, 201).data.transaction);
  };
}

/** The steps of a whole life, in order; `begin` comes before them, and before each one the transactions of the last are final. */
export const lifeSteps: readonly Step[] = [
  { name: 'deposit', kinds: ['add_asset', 'invest'], take: deposit },
  { name: 'deposit more', kinds: ['add_asset', 'invest'], take: depositMore },
  { name: 'take back', kinds: ['remove_asset', 'remove_investment'], take: takeBack },
  { name: 'settle', kinds: ['mint', 'deliver', 'liquidity'], advanceBy: DAY + 60, isDone: hasStatus('LOCKED') },
  { name: 'stake', kinds: ['stake'], take: stakeAll },
  {
    name: 'stake more',
    kinds: ['stake'],
    take: async (stack, life) => {
      await stake(stack, life, life.investor, 1000);
    },
  },
  { name: 'unstake', kinds: ['unstake'], take: unstakeOne },
  { name: 'vote', kinds: ['anchor'], take: vote },
  { name: 'close the vote', kinds: [], advanceBy: 2 * DAY + 60 },
  { name: 'sell', kinds: ['execute'], take: sell },
  { name: 'end', kinds: ['gather_pot'], advanceBy: 4 * DAY, isDone: claimsAreOpen },
  { name: 'unstake all', kinds: ['unstake'], take: unstakeAll },
  { name: 'claim', kinds: ['claim'], take: claimOf('contributor') },
  { name: 'claim the rest', kinds: ['claim'], take: claimOf('investor') },
  { name: 'close', kinds: ['close_vault'], isDone: hasStatus('TERMINATED') },
];

/** What readers see of a life, and what its people hold: the same however the service was disturbed. */
export async function outcomeOf(stack: LifeStack, { vaultId }: Life) {
  const { status, holds, fractionalization } = await readVault(stack, vaultId);
  const { rows } = await stack.sql.query<{ line: string }>(
    `select concat_ws(' ', 'asset', status, release_reason) as line from assets where vault_id = $1
      union all select concat_ws(' ', 'investment', lovelace, status, release_reason) from investments where vault_id = $1
      union all select concat_ws(' ', 'stake', amount, case when status = 'RELEASED' then 'released' else 'held' end)
        from stakes where vault_id = $1
      union all select concat_ws(' ', 'proposal', status, failure_reason) from proposals where vault_id = $1
      union all select concat_ws(' ', 'claim', amount, status) from claims where vault_id = $1 and status = 'PAID'
      union all select concat_ws(' ', 'entitlement', ft, lovelace) from entitlements where vault_id = $1
      order by line`,
    [vaultId],
  );
  return { status, holds, supply: fractionalization.tokenSupplyBaseUnits, lines: rows.map(({ line }) => line) };
}

function expectStatus<Body>({ status, body }: { status: number; body: Body }, expected: number): Body {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`);
  return body;
}
