import type { Copies } from './copy-rows.ts';

/** Of each vault. */
const ASSETS = 10;
/** Of each vault that was settled; each staker votes on each proposal. */
const [PROPOSALS, STAKERS] = [10, 11];
/** Wallets that take part in the vaults. */
export const WALLETS = 50_000;
/** Fungible tokens that are in them. */
const TOKENS = 1000;

/** Which vaults, by their number `n`, have ended, and which of them without a settlement. */
const ended = 'n % 2 = 0';
const failed = 'n % 20 = 0';
const settled = `n % 20 <> 0`;
const isPublic = 'n % 10 = 1';
/** A vote is under way in one of ten. */
const voting = `n % 10 = 1 and p = ${PROPOSALS - 1}`;

const vaults = 'generate_series(1, $1::int) as n';
const times = (name: string, count: number) => `cross join generate_series(0, ${count - 1}) as ${name}`;
const asset = `(n * ${ASSETS} + a)`;
const stake = `(n * ${STAKERS} + s)`;
const proposal = `(n * ${PROPOSALS} + p)`;
const vote = `(${proposal} * ${STAKERS} + s)`;

/** An id or a hash in hex begins with the number of the copy, so that later copies have higher ids, as in the service. */
const numbered = (text: string, number: string) =>
  `overlay(${text} placing lpad(to_hex(${number}), 8, '0') from 1 for 8)`;
const id = (column: string, number: string) => `${numbered(`${column}::text`, number)}::uuid`;
const address = (number: string) => `(select address from addresses where number = ${number})`;
const wallet = (number: string) => address(`(${number}) % ${WALLETS}`);
const ofVault = { vault_id: id('one.vault_id', 'n') };

/** From 800 days ago until 60 days ago. */
const made = `now() - interval '800 days' + n * (interval '740 days' / $1::int)`;
const end = `${made} + interval '20 days'`;
const changed = `${made} + (n * 7919 % 50) * interval '1 day'`;

/** A transaction without its bytes, which no job and no list reads. */
const transaction = (number: string) => ({
  ...ofVault,
  id: id('one.id', number),
  owner_workflow: `'tx-' || ${id('one.id', number)}`,
  hash: numbered('one.hash', number),
  unsigned_cbor: `''`,
  signed_cbor: `''`,
  inputs: `'[]'`,
  outputs: `replace(one.outputs::text, one.hash, ${numbered('one.hash', number)})::jsonb`,
  state: `'final'`,
  created_at: made,
  updated_at: changed,
  shown: isPublic,
});

const ofProposal = '(select id from proposals where vault_id = $2)';

/** The tables in the order in which they are filled. */
export const copies: readonly Copies[] = [
  {
    table: 'vaults',
    of: `one.id = $2`,
    per: vaults,
    set: {
      id: id('one.id', 'n'),
      name: `'Vault ' || n`,
      type: `case when ${isPublic} then 'PUBLIC' else 'PRIVATE' end`,
      created_by: wallet('n'),
      // It is encrypted for its vault.
      admin_email: 'null',
      contract_address: address(`${WALLETS} + 2 * n`),
      settlement_address: address(`${WALLETS} + 2 * n + 1`),
      policy_id: numbered('one.policy_id', 'n'),
      vault_key_hash: numbered('one.vault_key_hash', 'n'),
      policy_key_hash: numbered('one.policy_key_hash', 'n'),
      ft_unit: `case when ${settled} then ${numbered('one.ft_unit', 'n')} end`,
      status: `case when ${ended} then 'TERMINATED' else 'LOCKED' end`,
      failed_because: `case when ${failed} then 'no_assets' end`,
      termination_reason: `case when ${failed} then 'no_assets' when ${ended} then 'liquidated' end`,
      terminated_at: `case when ${ended} then ${end} end`,
      created_at: made,
      updated_at: changed,
    },
  },
  { table: 'windows', of: `one.vault_id = $2`, per: vaults, set: ofVault },
  { table: 'settlements', of: `one.vault_id = $2 and ${settled}`, per: vaults, set: ofVault },
  {
    table: 'chain_transactions',
    of: `one.vault_id = $2 and one.kind <> 'stake'`,
    per: vaults,
    set: { ...transaction('n'), wallet: `case when one.wallet is not null then ${wallet('n')} end` },
  },
  {
    table: 'chain_transactions',
    of: `one.vault_id = $2 and one.kind = 'stake' and ${settled}`,
    per: `${vaults} ${times('s', STAKERS)}`,
    set: { ...transaction(stake), wallet: wallet(stake) },
  },
  {
    table: 'assets',
    of: `one.vault_id = $2`,
    per: `${vaults} ${times('a', ASSETS)}`,
    set: {
      ...ofVault,
      id: id('one.id', asset),
      type: `case a % 2 when 0 then 'NFT' else 'CNT' end`,
      policy_id: numbered('one.policy_id', `case a % 2 when 0 then ${asset} else ${asset} % ${TOKENS} end`),
      valuation_method: `case a % 2 when 0 then 'floor_price' else 'dex_price' end`,
      added_by: wallet(asset),
      status: `case when ${ended} then 'RELEASED' else 'LOCKED' end`,
      release_reason: `case when ${failed} then 'refunded' when ${ended} then 'handed_over' end`,
      add_transaction_id: id('one.add_transaction_id', 'n'),
      deposit_index: 'a',
      added_at: made,
      updated_at: changed,
    },
  },
  {
    table: 'investments',
    of: `one.vault_id = $2`,
    per: vaults,
    set: {
      ...ofVault,
      id: id('one.id', 'n'),
      wallet: wallet('n'),
      status: `case when ${failed} then 'REFUNDED' else one.status end`,
      release_reason: `case when ${failed} then 'refunded' end`,
      transaction_id: id('one.transaction_id', 'n'),
      created_at: made,
      updated_at: changed,
    },
  },
  {
    table: 'entitlements',
    of: `one.vault_id = $2 and ${settled}`,
    per: vaults,
    set: { ...ofVault, deposit_id: id('one.deposit_id', 'n'), wallet: wallet('n') },
  },
  {
    table: 'stakes',
    of: `one.vault_id = $2 and ${settled}`,
    per: `${vaults} ${times('s', STAKERS)}`,
    set: {
      ...ofVault,
      id: id('one.id', stake),
      wallet: wallet(stake),
      status: `case when ${ended} then 'RELEASED' else 'ACTIVE' end`,
      release_reason: `case when ${ended} then 'unstaked' end`,
      locked_until: 'null',
      used_power: '0',
      script_address: wallet(`${stake} + 7`),
      stake_transaction_id: id('one.stake_transaction_id', stake),
      staked_at: made,
      updated_at: changed,
    },
  },
  {
    table: 'proposals',
    of: `one.vault_id = $2 and ${settled}`,
    per: `${vaults} ${times('p', PROPOSALS)}`,
    set: {
      ...ofVault,
      id: id('one.id', proposal),
      proposer: wallet(proposal),
      status: `case when ${voting} then 'ACTIVE' else 'FAILED' end`,
      failure_reason: `case when ${voting} then null else 'quorum_not_reached' end`,
      ended_at: `case when ${voting} then null else ${end} end`,
      released_at: `case when ${voting} then null else ${end} end`,
      created_at: made,
      updated_at: changed,
    },
  },
  {
    table: 'votes',
    of: `one.proposal_id = ${ofProposal} and ${settled}`,
    per: `${vaults} ${times('p', PROPOSALS)} ${times('s', STAKERS)}`,
    set: {
      id: id('one.id', vote),
      proposal_id: id('one.proposal_id', proposal),
      wallet: wallet(stake),
      status: `'CONFIRMED'`,
      cast_at: made,
      confirmed_at: made,
    },
  },
  {
    table: 'vote_stakes',
    of: `one.vote_id = (select id from votes where proposal_id = ${ofProposal}) and ${settled}`,
    per: `${vaults} ${times('p', PROPOSALS)} ${times('s', STAKERS)}`,
    set: { vote_id: id('one.vote_id', vote), stake_id: id('one.stake_id', stake) },
  },
];
