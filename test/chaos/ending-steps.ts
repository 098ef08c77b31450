import { readVault } from '../vault-lifecycle/vault-requests.ts';
import { claim, execute, propose, stakersOf, unstake } from './life-requests.ts';
import { isStakeBack, reclaimStake } from './reclaims.ts';
import { firstPartOf } from './shares.ts';
import { isSettled, type Traits } from './traits.ts';
import {
  advanceBy,
  advanceTo,
  holdersOf,
  type Life,
  type LifeStack,
  PROGRAMMED_DAYS,
  setPrice,
  type Step,
} from './vault-life.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** So many valuations are low enough in any case, though a fault may hide some. */
const MOST_VALUATIONS = 24;

async function liquidate(stack: LifeStack, life: Life): Promise<void> {
  const action = { type: 'liquidate', details: {} };
  await execute(stack, life, { executor: life.contributors[0], action });
}

/** Moves the clock to a minute after the last of what this query finds for some vaults. */
function advanceToLast(query: string): NonNullable<Step['moveClock']> {
  return async (stack, lives) => {
    const { rows } = await stack.sql.query<{ at: Date | null }>(query, [lives.map(({ vaultId }) => vaultId)]);
    const at = rows[0]?.at?.getTime();
    if (at === undefined) throw new Error('there is nothing to wait for');
    await advanceTo(stack, at + 60_000);
  };
}

const programmedEnd = `select max(locked_at) + interval '${PROGRAMMED_DAYS} days' as at from vaults where id = any($1)`;
const endOfClaims = 'select max(claim_deadline) as at from terminations where vault_id = any($1)';

/** The market pays much less for everything in a vault. */
async function loseValue(stack: LifeStack, { nfts, traits }: Life): Promise<void> {
  for (const [place, nft] of nfts.entries()) await setPrice(stack, nft, (2 * (traits.prices[place] ?? 0)) / 5);
}

/** Lets hours pass, each with a valuation, until the vaults end. */
async function valueAgain(stack: LifeStack, lives: readonly Life[]): Promise<void> {
  for (let hours = 0; hours < MOST_VALUATIONS; hours += 1) {
    const haveEnded = await Promise.all(lives.map((life) => ends(stack, life)));
    if (haveEnded.every(Boolean)) return;
    await advanceBy(HOUR)(stack, lives);
  }
}

/** Whether a vault ends, for the reason of its traits. */
async function ends({ sql }: LifeStack, { vaultId, traits }: Life): Promise<boolean> {
  const query = 'select 1 from vaults where id = $1 and failed_because = $2';
  return (await sql.query(query, [vaultId, traits.ending])).rows.length > 0;
}

function isSent(kind: string): NonNullable<Step['isDone']> {
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

/** Takes back what is staked, but for a stake that its owner takes back alone later. */
async function unstakeAll(stack: LifeStack, life: Life): Promise<void> {
  const rows = await stack.sql.run<{ id: string; wallet: string }>`select id, wallet from stakes
      where vault_id = ${life.vaultId} and status <> 'RELEASED'`;
  const stakers = stakersOf(life);
  for (const { person } of life.traits.reclaimsStake ? stakers.slice(0, 1) : stakers)
    for (const { id } of rows.filter(({ wallet }) => wallet === person.address)) await unstake(stack, person, id);
}

/** Holders whose way to claim is among these. */
function claimers(life: Life, ways: readonly Traits['claims'][number][]) {
  const holders = holdersOf(life).map((person, holder) => ({ person, holder }));
  return holders.filter(({ holder }) => ways.includes(life.traits.claims[holder] ?? 'never'));
}

async function claimParts(stack: LifeStack, life: Life): Promise<void> {
  for (const { person, holder } of claimers(life, ['in parts']))
    await claim(stack, life, person, firstPartOf(life.traits, holder));
}

async function claimRest(stack: LifeStack, life: Life): Promise<void> {
  for (const { person } of claimers(life, ['whole', 'in parts'])) await claim(stack, life, person);
}

const isLiquidated = ({ ending }: Traits) => ending === 'liquidated';
const isProgrammed = ({ ending }: Traits) => ending === 'programmed_end';
const isWorthless = ({ ending }: Traits) => ending === 'floor_price_deviation';
const reclaims = ({ reclaimsStake }: Traits) => reclaimsStake;

/** From the reason why a vault ends to its end; `lateSale` is what holders sell before they claim. Nothing that ends first waits for days of others. */
export function endingSteps(lateSale: readonly Step[]): Step[] {
  return [
    {
      name: 'reach the programmed end',
      kinds: [],
      isFor: isProgrammed,
      moveClock: advanceToLast(programmedEnd),
      isDone: ends,
    },
    {
      name: 'lose value',
      kinds: [],
      isFor: isWorthless,
      take: loseValue,
      moveClock: valueAgain,
      isDone: ends,
    },
    {
      name: 'vote on the end',
      kinds: ['anchor'],
      isFor: isLiquidated,
      take: (stack, life) => propose(stack, life, { action_type: 'liquidate' }),
    },
    { name: 'close the vote on the end', kinds: [], isFor: isLiquidated, moveClock: advanceBy(2 * DAY + 60) },
    { name: 'liquidate', kinds: ['execute'], isFor: isLiquidated, take: liquidate },
    { name: 'gather the pot', kinds: ['gather_pot'], isFor: isSettled, isDone: isSent('gather_pot') },
    { name: 'open the claims', kinds: [], isFor: isSettled, isDone: claimsAreOpen },
    ...lateSale,
    { name: 'unstake all', kinds: ['unstake'], isFor: ({ stakes }) => stakes, take: unstakeAll },
    {
      name: 'claim a part',
      kinds: ['claim'],
      isFor: ({ claims }) => claims.includes('in parts'),
      take: claimParts,
    },
    {
      name: 'claim',
      kinds: ['claim'],
      isFor: ({ claims }) => claims.some((way) => way !== 'never'),
      take: claimRest,
    },
    {
      name: 'end the claims and the vault',
      kinds: ['hand_over', 'pay_remainder', 'close_vault'],
      isFor: isSettled,
      moveClock: advanceToLast(endOfClaims),
      isDone: async (stack, { vaultId }) => (await readVault(stack, vaultId)).status === 'TERMINATED',
    },
    { name: 'let a year pass', kinds: [], isFor: reclaims, moveClock: advanceBy(366 * DAY) },
    { name: 'reclaim a stake', kinds: [], isFor: reclaims, take: reclaimStake, isDone: isStakeBack },
  ];
}
