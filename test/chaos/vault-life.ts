import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { fundWallet, type Person, person } from '../vault-lifecycle/participants.ts';
import { createVault, readVault, waitForVaultStatus } from '../vault-lifecycle/vault-requests.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { cosignAll } from './cosign.ts';
import { ADA, contributorOf } from './shares.ts';
import { countContributors, type Traits } from './traits.ts';

/** A step takes a few seconds; on a machine that others keep busy, with a ledger that lies and hangs, minutes. */
const PATIENCE_MS = 900_000;

/** ADA of the investment that is withdrawn, which is found by it: no other one has as much, since all are multiples of five. */
export const WITHDRAWN_ADA = 49;
/** Whole tokens that the first investor stakes beside those that vote. */
export const MORE_STAKED = 1000;
/** Longer after the settlement than what comes before this end takes. */
export const PROGRAMMED_DAYS = 14;

/** What a life needs of a stack. */
export type LifeStack = Pick<TestStack, 'api' | 'root' | 'ledger' | 'liar' | 'sql' | 'temporal'>;

export interface Nft {
  readonly owner: Person;
  readonly policyId: string;
  readonly name: string;
}

/** A vault whose people have what they will need, so that nothing else is sent to the ledger while it lives. */
export interface Cast {
  readonly traits: Traits;
  /** The first one is the admin of the vault. */
  readonly contributors: readonly [Person, ...Person[]];
  readonly investors: readonly [Person, ...Person[]];
  readonly buyer: Person;
  /** Gets what is left of the vault. */
  readonly heir: Person;
  /** Whose keys the vault registers; nobody unless it has registered cosigners. */
  readonly cosigners: readonly Person[];
  /** As the prices of the traits. */
  readonly nfts: readonly Nft[];
  /** An NFT of the first contributor that is removed; null when none is. */
  readonly removed: Nft | null;
}

export interface Life extends Cast {
  readonly vaultId: string;
}

/** Everybody who may get tokens. */
export const holdersOf = ({ contributors, investors }: Cast) => [...contributors, ...investors];

/** Funds the persons of a life, up to ten from this number on. No other vault of the stack may hold NFTs of this name. */
export async function cast(
  stack: Pick<TestStack, 'ledger'>,
  traits: Traits,
  { first, name }: { readonly first: number; readonly name: string },
): Promise<Cast> {
  const [buyer, heir, ...others] = Array.from({ length: 8 }, (_, place) => person(first + place));
  const cosigners = traits.requiredCosigners === 0 ? [] : [person(first + 8), person(first + 9)];
  const contributors = others.slice(0, countContributors(traits));
  const investors = others.slice(contributors.length, contributors.length + traits.investments.length);
  const [admin, investor] = [contributors[0], investors[0]];
  if (!buyer || !heir || !admin || !investor) throw new Error('a life needs persons');
  const nameOf = (nft: number) => `${name} ${nft}`;
  const owned = contributors.map((_, contributor) => [
    ...[...traits.prices.keys()].filter((nft) => contributorOf(nft) === contributor),
    ...(contributor === 0 && traits.removesAsset ? [traits.prices.length] : []),
  ]);
  const given = owned.map(async (nfts, contributor) => {
    const owner = contributors[contributor] ?? admin;
    const assets = Object.fromEntries(nfts.map((nft) => [nameOf(nft), 1]));
    const policyId = nfts.length === 0 ? '' : await fundWallet(stack, owner, { ada: 500, assets });
    return nfts.map((nft) => [nft, { owner, policyId, name: nameOf(nft) }] as const);
  });
  const funded = [...investors, ...(traits.sale === 'never' ? [] : [buyer])];
  await Promise.all(funded.map((one) => fundWallet(stack, one, { ada: 1000 })));
  const nfts = new Map((await Promise.all(given)).flat());
  for (const [nft, one] of nfts) await setPrice(stack, one, traits.prices[nft] ?? REMOVED_PRICE);
  const removed = nfts.get(traits.prices.length) ?? null;
  return {
    ...{ traits, contributors: [admin, ...contributors.slice(1)], investors: [investor, ...investors.slice(1)] },
    ...{ buyer, heir, cosigners, nfts: traits.prices.flatMap((_, nft) => nfts.get(nft) ?? []), removed },
  };
}

/** ADA that the market pays for an NFT that is removed. */
const REMOVED_PRICE = 500;

/** From now on the market pays so much ADA for an NFT; with `asOf` the price is of that instant and becomes old. */
export async function setPrice(
  { ledger }: Pick<TestStack, 'ledger'>,
  { policyId, name }: Nft,
  ada: number,
  asOf?: string,
): Promise<void> {
  const assetNameHex = Buffer.from(name).toString('hex');
  const lovelace = String(BigInt(ada) * ADA);
  await ledger.setPrice({ policyId, assetNameHex, lovelace, ...(asOf !== undefined && { asOf }) });
}

/** One step of a life: its people ask for something, or time passes; the ledger has it later. */
export interface Step {
  readonly name: string;
  /** Kinds of the transactions that it makes. */
  readonly kinds: readonly string[];
  /** Which lives take it; all of them without it. */
  readonly isFor?: (traits: Traits) => boolean;
  readonly take?: (stack: LifeStack, life: Life) => Promise<void>;
  /** Moves the clock of the stack as these lives need it, after `take`. */
  readonly moveClock?: (stack: LifeStack, lives: readonly Life[]) => Promise<void>;
  /** Whether the vault has done its part of the step. */
  readonly isDone?: (stack: LifeStack, life: Life) => Promise<boolean>;
}

/** The lives that take a step. */
function livesIn(lives: readonly Life[], { isFor }: Step): Life[] {
  return lives.filter(({ traits }) => isFor?.(traits) ?? true);
}

/** Takes a step with several vaults of one stack at once: they share its clock. */
export async function takeStep(stack: LifeStack, all: readonly Life[], step: Step): Promise<void> {
  const { name, take, moveClock, isDone } = step;
  const lives = livesIn(all, step);
  if (take) await Promise.all(lives.map((life) => take(stack, life)));
  await moveClock?.(stack, lives);
  const areDone = async () => {
    await cosignAll(stack, all);
    return (await Promise.all(lives.map(async (life) => (await isDone?.(stack, life)) ?? true))).every(Boolean);
  };
  await until(areDone, { what: `${lives.length} vaults to be through step ${name}`, deadlineMs: PATIENCE_MS });
}

/** Creates the vault of a life and waits until it is open. */
export async function begin(stack: LifeStack, people: Cast): Promise<Life> {
  const { contributors, cosigners, heir, traits } = people;
  const [admin] = contributors;
  const windows = { asset: { asset_window_duration: '01:00:00' }, investment: { investment_window_duration: '24h' } };
  const termination = {
    ...(traits.ending === 'programmed_end'
      ? { type: 'PROGRAMMED', duration: `${PROGRAMMED_DAYS}:00:00` }
      : { type: 'DAO' }),
    ...(traits.ending === 'floor_price_deviation' && { fdp: 50 }),
    remaining_assets_to: heir.address,
    unclaimed_lovelace_to: heir.address,
    claim_duration: '07:00:00',
  };
  const registered = cosigners.length > 0 && {
    governance_settings: {
      ...vaultBody(admin.address).governance_settings,
      ...{ cosigners: cosigners.map(({ address }) => address), required_cosigners: traits.requiredCosigners },
    },
  };
  const vaultId = await createVault(stack, admin.address, { ...windows, vault: { termination, ...registered } });
  await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  return { ...people, vaultId };
}

/** Waits until no transaction of the vaults is under way; their cosigners sign meanwhile. */
export async function untilFinal(stack: LifeStack, lives: readonly Life[]): Promise<void> {
  const open = `select kind, state from chain_transactions where vault_id = any($1) and kind <> 'anchor'
    and state not in ('final', 'expired', 'failed')`;
  const vaults = lives.map(({ vaultId }) => vaultId);
  const areFinal = async () => {
    await cosignAll(stack, lives);
    return (await stack.sql.query(open, [vaults])).rows.length === 0;
  };
  await until(areFinal, { what: `the transactions of the vaults to be final`, deadlineMs: PATIENCE_MS });
}

/** Moves the clock by some seconds. */
export const advanceBy =
  (seconds: number): NonNullable<Step['moveClock']> =>
  async (stack) =>
    advanceTo(stack, (await stack.ledger.clock()).nowMs + seconds * 1000);

/** Moves the clock to an instant, however often the request is lost. */
export async function advanceTo({ root, ledger }: LifeStack, targetMs: number): Promise<void> {
  await until(
    async () => {
      const { nowMs } = await ledger.clock();
      const seconds = Math.max(1, Math.ceil((targetMs - nowMs) / 1000));
      const { status, body } = await root.post('/dev/clock/advance', { seconds });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return true;
    },
    { what: `the clock to be at ${new Date(targetMs).toISOString()}`, deadlineMs: PATIENCE_MS },
  );
}

/** What readers see of a life, and what its people hold: the same however the service was disturbed. */
export async function outcomeOf(stack: LifeStack, { vaultId }: Life) {
  const { status, holds, fractionalization } = await readVault(stack, vaultId);
  const { rows } = await stack.sql.query<{ line: string }>(
    `select concat_ws(' ', 'asset', status, release_reason) as line from assets where vault_id = $1
      union all select concat_ws(' ', 'investment', lovelace, status, release_reason) from investments where vault_id = $1
      union all select concat_ws(' ', 'stake', amount, case when status = 'RELEASED' then release_reason else 'held' end)
        from stakes where vault_id = $1
      union all select concat_ws(' ', 'proposal', status, failure_reason) from proposals where vault_id = $1
      union all select concat_ws(' ', 'claim', amount, status) from claims where vault_id = $1 and status = 'PAID'
      union all select concat_ws(' ', 'entitlement', ft, lovelace) from entitlements where vault_id = $1
      union all select concat_ws(' ', 'rotation', case when finished_at is null then 'unfinished' else 'finished' end)
        from rotations where vault_id = $1`,
    [vaultId],
  );
  const ended = await stack.sql.run<{ because: string | null }>`select failed_because as because from vaults
      where id = ${vaultId}`;
  const because = ended[0]?.because ?? null;
  const supply = fractionalization.tokenSupplyBaseUnits;
  return { status, because, holds, supply, lines: rows.map(({ line }) => line).toSorted() };
}
