import { until } from '../stack/until.ts';
import { contribute, invest } from '../vault-lifecycle/participants.ts';
import { isFinished, rotateNow } from '../governance/rotation-requests.ts';
import { readVault } from '../vault-lifecycle/vault-requests.ts';
import { listUnsolicited, scanUnsolicited } from '../vaults/unsolicited-scan.ts';
import { endingSteps } from './ending-steps.ts';
import { execute, expectStatus, propose, stake, stakersOf, unstake } from './life-requests.ts';
import { holdSettlement, passDeadlines } from './reclaims.ts';
import { ADA, baseUnitsOf, stakeOf } from './shares.ts';
import { isSettled, type Traits } from './traits.ts';
import { advanceBy, type Life, type LifeStack, MORE_STAKED, type Nft, type Step, WITHDRAWN_ADA } from './vault-life.ts';

const DAY = 86_400;
/** So many blocks no test rolls back. */
const DEEP = 31;

async function deposit(stack: LifeStack, { vaultId, nfts, investors, traits }: Life): Promise<void> {
  for (const nft of nfts.filter((_, place) => place !== 1)) await contribute(stack, vaultId, nft.owner, nft);
  for (const [place, investor] of investors.entries())
    await invest(stack, vaultId, investor, Number(ADA) * (traits.investments[place] ?? 0));
}

async function depositMore(stack: LifeStack, { vaultId, removed, investors, traits }: Life): Promise<void> {
  if (removed) await contribute(stack, vaultId, removed.owner, removed);
  if (traits.withdrawsInvestment) await invest(stack, vaultId, investors[0], Number(ADA) * WITHDRAWN_ADA);
}

async function depositLast(stack: LifeStack, { vaultId, nfts }: Life): Promise<void> {
  const last = nftOf(nfts, 1);
  await contribute(stack, vaultId, last.owner, last);
}

async function takeBack(stack: LifeStack, { vaultId, removed }: Life): Promise<void> {
  const { rows } = await stack.sql.query<{ kind: string; id: string }>(
    `select 'assets' as kind, id from assets where vault_id = $1 and asset_name = $2
      union all select 'investments', id from investments where vault_id = $1 and lovelace = $3`,
    [vaultId, Buffer.from(removed?.name ?? '').toString('hex'), BigInt(WITHDRAWN_ADA) * ADA],
  );
  for (const { kind, id } of rows) expectStatus(await stack.api.del(`/vaults/${vaultId}/${kind}/${id}`), 200);
}

async function cancel({ api }: LifeStack, { vaultId }: Life): Promise<void> {
  expectStatus(await api.post(`/vaults/${vaultId}/cancel`), 200);
}

/** Whether a vault is settled, has failed, or waits for a price. */
async function isSettlementDone(stack: LifeStack, { vaultId, traits }: Life): Promise<boolean> {
  const { status, holds } = await readVault(stack, vaultId);
  if (isLate(traits)) return holds.some(({ reason }) => reason === 'stale_price');
  return status === (isSettled(traits) ? 'LOCKED' : 'TERMINATED');
}

const hasStatus =
  (status: string): NonNullable<Step['isDone']> =>
  async (stack, { vaultId }) =>
    (await readVault(stack, vaultId)).status === status;

async function stakeAll(stack: LifeStack, life: Life): Promise<void> {
  for (const { person, holder } of stakersOf(life)) await stake(stack, life, person, stakeOf(life.traits, holder));
}

async function unstakeOne(stack: LifeStack, { vaultId, investors }: Life): Promise<void> {
  const rows = await stack.sql.run<{ id: string }>`select id from stakes
      where vault_id = ${vaultId} and amount = ${baseUnitsOf(MORE_STAKED)} and status = 'ACTIVE'`;
  await unstake(stack, investors[0], rows[0]?.id ?? '');
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

function nftOf(nfts: readonly Nft[], place: number): Nft {
  const nft = nfts[place];
  if (!nft) throw new Error(`there is no NFT ${place}`);
  return nft;
}

/** The NFT that a vault can sell, and a price above that of the market, in lovelace. */
function saleOf({ nfts, traits }: Life) {
  const { policyId, name } = nftOf(nfts, 0);
  return {
    name: { policy_id: policyId, asset_name: name },
    price: (Number(ADA) * (traits.prices[0] ?? 0) * 6) / 5,
  };
}

async function proposeSale(stack: LifeStack, life: Life): Promise<void> {
  const { name, price } = saleOf(life);
  await propose(stack, life, { action_type: 'sell_asset', affected_assets: [name], terms: { price } });
}

async function sell(stack: LifeStack, life: Life): Promise<void> {
  const { name, price } = saleOf(life);
  const action = { type: 'sell_asset', details: { ...name, price } };
  await execute(stack, life, { executor: life.buyer, action, signers: [life.buyer] });
}

const hasDeposits = ({ removesAsset, withdrawsInvestment }: Traits) => removesAsset || withdrawsInvestment;
const isCancelled = ({ ending }: Traits) => ending === 'cancelled';
const isLate = ({ ending }: Traits) => ending === 'settlement_deadline';

/** Until a vault is settled, or has ended without. */
const depositSteps: readonly Step[] = [
  { name: 'deposit', kinds: ['add_asset', 'invest'], take: deposit },
  { name: 'deposit more', kinds: ['add_asset', 'invest'], isFor: hasDeposits, take: depositMore },
  { name: 'deposit last', kinds: ['add_asset'], isFor: ({ prices }) => prices.length > 1, take: depositLast },
  { name: 'take back', kinds: ['remove_asset', 'remove_investment'], isFor: hasDeposits, take: takeBack },
  { name: 'cancel', kinds: ['refund'], isFor: isCancelled, take: cancel, isDone: hasStatus('TERMINATED') },
  { name: 'hold the settlement', kinds: [], isFor: isLate, take: holdSettlement },
  {
    name: 'settle',
    kinds: ['mint', 'deliver', 'liquidity', 'refund'],
    isFor: (traits) => !isCancelled(traits),
    moveClock: advanceBy(DAY + 60),
    isDone: isSettlementDone,
  },
  {
    name: 'pass the deadline',
    kinds: [],
    isFor: isLate,
    moveClock: passDeadlines,
    isDone: hasStatus('TERMINATED'),
  },
];

const getsGift = (traits: Traits) => traits.getsGift;
const stakes = (traits: Traits) => traits.stakes;

/** What else happens to a settled vault before its end. */
const lockedSteps: readonly Step[] = [
  { name: 'give', kinds: [], isFor: getsGift, take: give },
  { name: 'return the gift', kinds: ['return_unsolicited'], isFor: getsGift, take: returnGift },
  { name: 'stake', kinds: ['stake'], isFor: stakes, take: stakeAll },
  {
    name: 'stake more',
    kinds: ['stake'],
    isFor: stakes,
    take: (stack, life) => stake(stack, life, life.investors[0], MORE_STAKED),
  },
  { name: 'unstake', kinds: ['unstake'], isFor: stakes, take: unstakeOne },
];

const rotation: Step = {
  name: 'rotate',
  kinds: ['move_custody', 'move_kept'],
  isFor: ({ rotates }) => rotates,
  take: (stack, { vaultId }) => rotateNow(stack, vaultId),
  isDone: (stack, { vaultId }) => isFinished(stack, vaultId),
};

/** A sale, with a rotation between the proposal and the execution. */
function saleSteps(when: Traits['sale'], between: readonly Step[] = []): Step[] {
  const isFor = ({ sale }: Traits) => sale === when;
  return [
    { name: 'vote on the sale', kinds: ['anchor'], isFor, take: proposeSale },
    ...between,
    { name: 'close the vote on the sale', kinds: [], isFor, moveClock: advanceBy(2 * DAY + 60) },
    { name: 'sell', kinds: ['execute'], isFor, take: sell },
  ];
}

/** The steps of a whole life, in order; `begin` comes before them, and before each one the transactions of the last are final. */
export const lifeSteps: readonly Step[] = [
  ...depositSteps,
  ...lockedSteps,
  ...saleSteps('before the end', [rotation]),
  ...endingSteps(saleSteps('while claims run')),
];

/** Which lives make a kind of transaction in a step that not all of them take for it. */
const madeBy: Readonly<Record<string, (traits: Traits) => boolean>> = {
  ...{ mint: isSettled, deliver: isSettled, liquidity: isSettled, refund: (traits) => !isSettled(traits) },
  add_asset: ({ prices }) => prices.length > 0,
  remove_asset: ({ removesAsset }) => removesAsset,
  remove_investment: ({ withdrawsInvestment }) => withdrawsInvestment,
  // Otherwise what is left after the last claim may be nothing.
  pay_remainder: ({ claims, reclaimsStake }) => reclaimsStake || claims.includes('never'),
};

/** The kinds of transactions that these lives make for certain. */
export function kindsOf(all: readonly Traits[]): string[] {
  const made = lifeSteps.flatMap(({ kinds, isFor }) =>
    kinds.filter((kind) => all.some((traits) => (isFor?.(traits) ?? true) && (madeBy[kind]?.(traits) ?? true))),
  );
  return [...new Set(made)];
}

/** The steps that some of these lives take. */
export function stepsOf(all: readonly Traits[]): Step[] {
  return lifeSteps.filter(({ isFor }) => all.some((traits) => isFor?.(traits) ?? true));
}
