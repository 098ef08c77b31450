import { until } from '../stack/until.ts';
import { leave, type OwnerScript } from '../vault-lifecycle/leave.ts';
import { scanUnsolicited } from '../vaults/unsolicited-scan.ts';
import { advanceTo, type Life, type LifeStack, setPrice } from './vault-life.ts';

// How owners take back alone what they deposited or staked, from the date on that the script names.

const HOUR_MS = 3_600_000;
/** A price counts for a day. */
const TOO_OLD_MS = 30 * HOUR_MS;

/** The price of what is in a vault becomes too old to settle it, so that the clock can move while it waits. */
export async function holdSettlement(stack: LifeStack, { nfts, traits }: Life): Promise<void> {
  const asOf = new Date((await stack.ledger.clock()).nowMs - TOO_OLD_MS).toISOString();
  for (const [place, nft] of nfts.entries()) await setPrice(stack, nft, traits.prices[place] ?? 0, asOf);
}

/**
 * Moves the clock past the date by which these vaults had to be settled. Meanwhile the last investor of each takes the deposit back
 * alone: until that is in a block, no refund of theirs reaches the ledger.
 */
export async function passDeadlines(stack: LifeStack, lives: readonly Life[]): Promise<void> {
  const vaultIds = lives.map(({ vaultId }) => vaultId);
  const deadlines = 'select max(settles_by) as at from vaults where id = any($1)';
  const { rows } = await stack.sql.query<{ at: Date }>(deadlines, [vaultIds]);
  const at = rows[0]?.at.getTime() ?? 0;
  for (const life of lives) withholdRefunds(stack, life);
  await Promise.all([advanceTo(stack, at + HOUR_MS), ...lives.map((life) => reclaimDeposit(stack, life))]);
}

function withholdRefunds({ liar, sql }: LifeStack, { vaultId }: Life): void {
  const refund = "select 1 from chain_transactions where vault_id = $1 and kind = 'refund' and signed_cbor = $2";
  liar.withhold(vaultId, async (signed) => (await sql.query(refund, [vaultId, signed])).rows.length > 0);
}

async function reclaimDeposit(stack: LifeStack, life: Life): Promise<void> {
  const { vaultId, investors } = life;
  const owner = investors.at(-1) ?? investors[0];
  const query = 'select id from investments where vault_id = $1 and wallet = $2 and release_reason is null';
  await takeBack(stack, life, { owner, query, path: (id) => `/vaults/${vaultId}/investments/${id}` });
  stack.liar.letThrough(vaultId);
}

/** The first investor takes back what is still staked. */
export async function reclaimStake(stack: LifeStack, life: Life): Promise<void> {
  const query = "select id from stakes where vault_id = $1 and wallet = $2 and status <> 'RELEASED'";
  await takeBack(stack, life, { owner: life.investors[0], query, path: (id) => `/stakes/${id}` });
}

interface Reclaim {
  readonly owner: Life['investors'][0];
  /** Finds what the owner has in a vault. */
  readonly query: string;
  /** Where the service publishes the script of it. */
  readonly path: (id: string) => string;
}

async function takeBack(stack: LifeStack, { vaultId }: Life, { owner, query, path }: Reclaim): Promise<void> {
  const { rows } = await stack.sql.query<{ id: string }>(query, [vaultId, owner.address]);
  const [found] = rows;
  if (!found) throw new Error('there is nothing to take back');
  const { body } = await stack.api.get<{ data: { ownerScript: OwnerScript } }>(path(found.id));
  const hash = await leave(stack, body.data.ownerScript, owner);
  await until(() => stack.ledger.query(`/txs/${hash}`), { what: 'the owner to have it back' });
}

/** Whether the service knows that a stake was taken back. */
export async function isStakeBack(stack: LifeStack, { vaultId, investors }: Life): Promise<boolean> {
  await scanUnsolicited(stack);
  const held = "select 1 from stakes where vault_id = $1 and wallet = $2 and status <> 'RELEASED'";
  return (await stack.sql.query(held, [vaultId, investors[0].address])).rows.length === 0;
}
