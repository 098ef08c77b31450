import { until } from '../stack/until.ts';
import { contribute, invest } from '../vault-lifecycle/participants.ts';
import { readVault } from '../vault-lifecycle/vault-requests.ts';
import { listUnsolicited, scanUnsolicited } from '../vaults/unsolicited-scan.ts';
import { claim, execute, expectStatus, propose, stake, unstake } from './life-requests.ts';
import type { Life, LifeStack, Step } from './vault-life.ts';

const DAY = 86_400;
/** So many blocks no test rolls back. */
const DEEP = 31;

async function deposit(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, failingId, contributor, investor, buyer, policyId, sold } = life;
  await contribute(stack, vaultId, contributor, { policyId, name: sold });
  await invest(stack, vaultId, investor, 300_000_000);
  await invest(stack, failingId, buyer, 20_000_000);
}

async function depositMore(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, contributor, investor, policyId, removed } = life;
  await contribute(stack, vaultId, contributor, { policyId, name: removed });
  await invest(stack, vaultId, investor, 50_000_000);
}

async function depositLast(stack: LifeStack, { vaultId, contributor, policyId, left }: Life): Promise<void> {
  await contribute(stack, vaultId, contributor, { policyId, name: left });
}

async function takeBack(stack: LifeStack, { vaultId, removed }: Life): Promise<void> {
  const { rows } = await stack.sql.query<{ kind: string; id: string }>(
    `select 'assets' as kind, id from assets where vault_id = $1 and asset_name = $2
      union all select 'investments', id from investments where vault_id = $1 and lovelace = 50000000`,
    [vaultId, Buffer.from(removed).toString('hex')],
  );
  for (const { kind, id } of rows) expectStatus(await stack.api.del(`/vaults/${vaultId}/${kind}/${id}`), 200);
}

async function areSettled(stack: LifeStack, { vaultId, failingId }: Life): Promise<boolean> {
  const [settled, failed] = await Promise.all([vaultId, failingId].map((id) => readVault(stack, id)));
  return settled?.status === 'LOCKED' && failed?.status === 'TERMINATED';
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

async function unstakeAll(stack: LifeStack, { vaultId, contributor, investor }: Life): Promise<void> {
  const { rows } = await stack.sql.query<{ id: string; wallet: string }>(
    `select id, wallet from stakes where vault_id = $1 and status <> 'RELEASED'`,
    [vaultId],
  );
  for (const { id, wallet } of rows) await unstake(stack, wallet === contributor.address ? contributor : investor, id);
}

/** Sends ADA into custody unasked. A rollback would take it back for good: faucets send nothing again. */
async function give(stack: LifeStack, { vaultId }: Life): Promise<void> {
  const { contractAddress: address } = await readVault(stack, vaultId);
  await stack.ledger.faucet({ address, lovelace: '20000000' });
  await stack.ledger.mine(DEEP);
}

async function returnGift(stack: LifeStack, { vaultId, heir }: Life): Promise<void> {
  const found = await until(
    async () => {
      await scanUnsolicited(stack);
      const outputs = await listUnsolicited(stack, vaultId);
      return outputs.length > 0 && outputs;
    },
    { what: 'the gift to be found' },
  );
  const outputs = found.map(({ txHash, index }) => ({ txHash, index }));
  const body = { outputs, address: heir.address };
  expectStatus(await stack.api.post(`/vaults/${vaultId}/unsolicited/returns`, body), 201);
}

const PRICE = 600_000_000;
const soldName = ({ policyId, sold }: Life) => ({ policy_id: policyId, asset_name: sold });

async function proposeSale(stack: LifeStack, life: Life): Promise<void> {
  const affected_assets = [soldName(life)];
  await propose(stack, life, { action_type: 'sell_asset', affected_assets, terms: { price: PRICE } });
}

async function sell(stack: LifeStack, life: Life): Promise<void> {
  const action = { type: 'sell_asset', details: { ...soldName(life), price: PRICE } };
  await execute(stack, life, { executor: life.buyer, action, signers: [life.buyer] });
}

async function liquidate(stack: LifeStack, life: Life): Promise<void> {
  await execute(stack, life, { executor: life.contributor, action: { type: 'liquidate', details: {} } });
}

function isSent(kind: string): Required<Step>['isDone'] {
  return async ({ sql }, { vaultId }) => {
    const sent = `select 1 from chain_transactions where vault_id = $1 and kind = $2
      and state in ('submitted', 'confirmed', 'final')`;
    return (await sql.query(sent, [vaultId, kind])).rows.length > 0;
  };
}

async function claimsAreOpen({ sql }: LifeStack, { vaultId }: Life): Promise<boolean> {
  const opened = 'select 1 from terminations where vault_id = $1 and claims_opened_at is not null';
  return (await sql.query(opened, [vaultId])).rows.length > 0;
}

/** From the deposits to the sale. */
const tradingSteps: readonly Step[] = [
  { name: 'deposit', kinds: ['add_asset', 'invest'], take: deposit },
  { name: 'deposit more', kinds: ['add_asset', 'invest'], take: depositMore },
  { name: 'deposit last', kinds: ['add_asset'], take: depositLast },
  { name: 'take back', kinds: ['remove_asset', 'remove_investment'], take: takeBack },
  { name: 'settle', kinds: ['mint', 'deliver', 'liquidity', 'refund'], advanceBy: DAY + 60, isDone: areSettled },
  { name: 'give', kinds: [], take: give },
  { name: 'return the gift', kinds: ['return_unsolicited'], take: returnGift },
  { name: 'stake', kinds: ['stake'], take: stakeAll },
  { name: 'stake more', kinds: ['stake'], take: (stack, life) => stake(stack, life, life.investor, 1000) },
  { name: 'unstake', kinds: ['unstake'], take: unstakeOne },
  { name: 'vote on the sale', kinds: ['anchor'], take: proposeSale },
  { name: 'close the vote on the sale', kinds: [], advanceBy: 2 * DAY + 60 },
  { name: 'sell', kinds: ['execute'], take: sell },
];

/** From the decision that the vault ends to the end: one holder claims, the other one never comes. */
const endingSteps: readonly Step[] = [
  {
    name: 'vote on the end',
    kinds: ['anchor'],
    take: (stack, life) => propose(stack, life, { action_type: 'liquidate' }),
  },
  { name: 'close the vote on the end', kinds: [], advanceBy: 2 * DAY + 60 },
  { name: 'liquidate', kinds: ['execute'], take: liquidate },
  { name: 'gather the pot', kinds: ['gather_pot'], isDone: isSent('gather_pot') },
  { name: 'open the claims', kinds: [], isDone: claimsAreOpen },
  { name: 'unstake all', kinds: ['unstake'], take: unstakeAll },
  { name: 'claim', kinds: ['claim'], take: (stack, life) => claim(stack, life, life.contributor) },
  {
    name: 'end the claims and the vault',
    kinds: ['hand_over', 'pay_remainder', 'close_vault'],
    advanceBy: 16 * DAY,
    isDone: async (stack, { vaultId }) => (await readVault(stack, vaultId)).status === 'TERMINATED',
  },
];

/** The steps of a whole life, in order; `begin` comes before them, and before each one the transactions of the last are final. */
export const lifeSteps: readonly Step[] = [...tradingSteps, ...endingSteps];
